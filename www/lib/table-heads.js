/**
 * The names of the columns in the first line of a table, as the engine tells such a line: it holds no number, and its
 * separator is the first of tab, semicolon, comma and blank that it has. Names may be in quotes. Plain JavaScript: the
 * tests run it in Node.
 * @param {string} text The table, or its beginning.
 * @returns {string[] | undefined} None where the first line holds numbers.
 */
export function headsOfText(text) {
  const line = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|[\r\n]/)
    .find((candidate) => candidate.trim() !== '')
    ?.trim();
  if (line === undefined) return undefined;
  const separator = ['\t', ';', ',', ' '].find((candidate) => line.includes(candidate)) ?? ',';
  const heads = split(line, separator).map((head) => head.trim());
  const shown = separator === ' ' ? heads.filter((head) => head !== '') : heads;
  return shown.some((head) => head !== '' && Number.isFinite(Number(head))) ? undefined : shown;
}

/**
 * @param {string} line
 * @param {string} separator
 */
function split(line, separator) {
  const parts = [''];
  let isQuoted = false;
  for (let n = 0; n < line.length; n++) {
    const [character, last] = [line[n], parts.length - 1];
    if (character === '"' && isQuoted && line[n + 1] === '"') {
      parts[last] += '"';
      n++;
    } else if (character === '"') {
      isQuoted = !isQuoted;
    } else if (character === separator && !isQuoted) {
      parts.push('');
    } else {
      parts[last] += character;
    }
  }
  return parts;
}

const LONGEST_NAME = 60;

/**
 * A name for every column, none twice: those of the heads if there are as many, else numbers.
 * @param {readonly string[] | undefined} heads
 * @param {number} numColumns
 */
export function columnNames(heads, numColumns) {
  const given = heads?.length === numColumns ? heads : [];
  /** @type {string[]} */
  const names = [];
  for (let n = 0; n < numColumns; n++) {
    const name = given[n]?.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME) || `v${n + 1}`;
    let free = name;
    for (let again = 2; names.includes(free); again++) free = `${name} (${again})`;
    names.push(free);
  }
  return names;
}

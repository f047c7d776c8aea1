/**
 * Rows of numbers from text, separated by commas, semicolons or blanks. A first line that holds no number is taken for the
 * names of the columns. What is not a table of numbers is refused with the place.
 * @param {string} text
 * @returns {number[][]}
 */
export function rowsOfText(text) {
  return tableOfText(text).rows;
}

/**
 * The same rows, with the names of the columns if the first line holds them.
 * @param {string} text
 * @returns {{ heads: string[] | undefined, rows: number[][] }}
 */
export function tableOfText(text) {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s*[,;\t]\s*|\s+/));
  const cells = lines.map((line) => line.map((cell) => (cell === '' ? Number.NaN : Number(cell))));
  const isHead = cells.length > 1 && cells[0]?.every(Number.isNaN);
  const rows = isHead ? cells.slice(1) : cells;
  rows.forEach((row, n) => {
    const line = n + (isHead ? 2 : 1);
    const column = row.findIndex((value) => !Number.isFinite(value));
    if (column >= 0) throw new Error(`Line ${line}, column ${column + 1} is not a number.`);
    if (row.length !== rows[0]?.length) {
      throw new Error(
        `Line ${line} has ${row.length} numbers where the first has ${rows[0]?.length}.`,
      );
    }
  });
  return {
    heads: isHead ? lines[0]?.map((head) => head.replace(/^"(.*)"$/, '$1')) : undefined,
    rows,
  };
}

/**
 * Rows of 1 and −1 in which 0 is an entry that is not known: it becomes the mean of the others in its column.
 * @param {number[][]} rows
 * @returns {number[][]}
 */
export function withMeansForZeros(rows) {
  const means = (rows[0] ?? []).map((_, column) => {
    const known = rows.map((row) => row[column] ?? 0).filter((value) => value !== 0);
    return known.reduce((sum, value) => sum + value, 0) / Math.max(known.length, 1);
  });
  return rows.map((row) => row.map((value, column) => value || (means[column] ?? 0)));
}

/**
 * A table without the means of its columns, and in units in which the mean of all squares is 1; row after row.
 * @param {number[][]} rows
 * @returns {number[]}
 */
export function centred(rows) {
  const dim = rows[0]?.length ?? 0;
  const means = Array.from(
    { length: dim },
    (_, column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0) / rows.length,
  );
  const values = rows.flatMap((row) => row.map((value, column) => value - (means[column] ?? 0)));
  const scale = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  if (!(scale > 0)) throw new Error('All rows are the same: there is nothing to explain.');
  return values.map((value) => value / scale);
}

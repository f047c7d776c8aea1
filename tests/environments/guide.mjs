/**
 * The guide to adding the package to an app, as files and commands: what the page tells people to do
 * is what the tests do.
 *
 * A block whose first line is a comment with nothing but a file's name is that file. The lines of a
 * block marked `sh` are commands.
 */
import { readFileSync } from 'node:fs';

const source = new URL('../../www/docs/guides/install.md', import.meta.url);

/**
 * What each section has. `plain` are the blocks without a language.
 * @returns {Map<string, { files: Map<string, string>, commands: string[], plain: string[] }>} by heading
 */
function readSections() {
  const sections = new Map();
  let section;
  let fence;
  for (const line of readFileSync(source, 'utf8').split('\n')) {
    if (fence) {
      if (line !== '```') fence.lines.push(line);
      else {
        addBlock(section, fence);
        fence = undefined;
      }
    } else if (line.startsWith('```')) fence = { language: line.slice(3), lines: [] };
    else if (line.startsWith('## ')) {
      section = { files: new Map(), commands: [], plain: [] };
      sections.set(line.slice(3), section);
    }
  }
  return sections;
}

function addBlock(section, { language, lines }) {
  if (language === 'sh') return void section.commands.push(...lines.filter(Boolean));
  if (language === '') return void section.plain.push(lines.join('\n'));
  const named = /^(?:\/\/|<!--) ([\w./-]+\.\w+)(?: -->)?$/.exec(lines[0]);
  if (!named) throw new Error(`${source.pathname}: a block does not say which file it is`);
  section.files.set(named[1], `${lines.slice(1).join('\n')}\n`);
}

const sections = readSections();

/** The files that all sections share. */
export const sharedFiles = sections.get('A first program').files;

/** The section below a heading. */
export function sectionOf(heading) {
  const section = sections.get(heading);
  if (!section) throw new Error(`${source.pathname} has no section “${heading}”`);
  return section;
}

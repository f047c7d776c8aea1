/**
 * The code of README.md and of the documentation, as programs.
 *
 * A fence says what becomes of its block, after the language:
 *
 * | words | meaning |
 * |---|---|
 * | `js`, `ts` | a program of its own, run in Node; the latter must compile |
 * | `js continue` | goes on where the page's last program of the language ended |
 * | `js live` | run on its page, by `tests/browser/live-code.test.mjs`, as are those above |
 * | `js browser`, `html browser` | run in Chromium, by `tests/browser/docs.test.mjs` |
 * | `jsx browser` | bundled and run there |
 * | `sh` | run by a shell, one after another of a page in a folder in which the package is installed |
 * | `… no-run: why` | not run, in any language; the reason is required |
 * | `json`, `text` | JSON is parsed; text is text |
 * | `figure`, `question` | no code: a live figure and a self-check, of `www/build/docs` |
 *
 * Pages whose blocks another test runs, because they need more than this one has, name it in a comment:
 * `<!-- code run by tests/… -->`. It must be there and speak of the page.
 *
 * A comment behind a `console.log` in the same line is what it prints, to the letter but for `…`, which stands for
 * anything; where the line prints several times, ", then " is between.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const runs = new Set(['js', 'ts', 'jsx', 'html', 'sh']);
const plain = new Set(['json', 'text']);
const noCode = new Set(['figure', 'question']);

/** Pages that came with a test of their own. */
const elsewhere = { 'www/docs/guides/install.md': 'tests/environments/guide.mjs' };

/** The test that runs the blocks of a file in place of this one, if there is one. */
function runElsewhere(file) {
  const markdown = readFileSync(join(root, file), 'utf8');
  const named = /^<!-- code run by (\S+) -->$/m.exec(markdown)?.[1];
  const test = named ?? elsewhere[file];
  if (!test) return undefined;
  const path = join(root, test);
  const speaksOf = existsSync(path) && readFileSync(path, 'utf8').includes(basename(file));
  if (!speaksOf) throw new Error(`${file} says that ${test} runs its code, which it does not.`);
  return test;
}

/** The Markdown files whose code is run here, from the root. */
export function documents() {
  const folder = join(root, 'www/docs');
  const pages = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => `www/docs/${file.replaceAll('\\', '/')}`);
  return ['README.md', ...pages].filter((file) => !runElsewhere(file));
}

/** All blocks of a file: language, where and how they run, code, and the line they begin at. */
export function blocksOf(file, markdown = readFileSync(join(root, file), 'utf8')) {
  const blocks = [];
  for (const match of markdown.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)) {
    const [whole, indent, info, body] = match;
    const line = markdown.slice(0, match.index).split('\n').length + 1;
    const where = `${file}:${line}`;
    const [, language = '', rest = ''] = /^(\S*) *(.*)$/.exec(info) ?? [];
    if (noCode.has(language)) continue;
    const code = body.replaceAll(new RegExp(`^ {${indent.length}}`, 'gm'), '');
    const why = /^no-run: (\S.*)$/.exec(rest)?.[1];
    if (!why && !runs.has(language) && !plain.has(language)) {
      throw new Error(
        `${where}: a block is of ${[...runs, ...plain].join(', ')}, not “${language}”.`,
      );
    }
    if (!why && !['', 'continue', 'live', 'browser', 'browser continue'].includes(rest)) {
      throw new Error(`${where}: “${rest}” is not understood; see tests/node/docs-code.mjs.`);
    }
    if (!whole.includes('\n')) throw new Error(`${where}: the block is empty.`);
    blocks.push({
      file,
      line,
      where,
      language,
      code,
      why,
      continues: rest.endsWith('continue'),
      browser: rest.startsWith('browser'),
      live: rest === 'live',
    });
  }
  return blocks;
}

/** Programs of a file: blocks with those that continue them. `browser` chooses which; those for the page alone are none. */
export function programsOf(file, { browser, languages }) {
  const programs = [];
  for (const block of blocksOf(file)) {
    if (block.why || block.live || block.browser !== browser) continue;
    if (!languages.includes(block.language)) continue;
    if (!block.continues)
      programs.push({ where: block.where, language: block.language, blocks: [block] });
    else if (programs.length === 0) throw new Error(`${block.where} continues nothing.`);
    else programs.at(-1).blocks.push(block);
  }
  return programs;
}

const said = /console\.log\(.*\); \/\/ (.+)$/;

/** The source of a program, line by line as in the page, and what it says it prints. */
export function sourceOf(program) {
  const expected = new Map();
  const lines = [];
  for (const { code, line: first, file } of program.blocks) {
    for (const [at, line] of code.trimEnd().split('\n').entries()) {
      const words = said.exec(line)?.[1];
      if (words === undefined) {
        lines.push(line);
        continue;
      }
      const place = `${file}:${first + at}`;
      expected.set(place, words);
      lines.push(line.replace('console.log(', `globalThis.print(${JSON.stringify(place)}, `));
    }
  }
  return { source: `${lines.join('\n')}\n`, expected };
}

/** Whether what was printed is what the comment says. */
export function agrees(printed, expected) {
  const pattern = expected
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`, 's').test(printed);
}

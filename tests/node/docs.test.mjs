/** Every block of code in README.md and the documentation that is for Node: it runs, and it prints what it says. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import ts from 'typescript';
import { agrees, blocksOf, documents, programsOf, sourceOf } from './docs-code.mjs';
import { makeFolder, nameOf } from './docs-folder.mjs';

const run = promisify(execFile);
const programs = documents().flatMap((file) =>
  programsOf(file, { browser: false, languages: ['js', 'ts'] }),
);

let folder;
before(() => {
  folder = makeFolder('docs-code');
});
after(() => folder.remove());

/** What a child process printed, or why it failed, in words. */
async function output(command, args, where, env = process.env) {
  const options = { cwd: folder.path, env, timeout: 300_000, maxBuffer: 1e8 };
  try {
    return (await run(command, args, options)).stdout;
  } catch (error) {
    throw new Error(`${where} failed: ${error.stderr || error.message}`);
  }
}

test('there is code to run, and JSON that is JSON', () => {
  assert.ok(programs.length > 20, `${programs.length} programs`);
  for (const { language, code, where } of documents().flatMap((file) => blocksOf(file))) {
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(code), where);
  }
});

describe('programs', { concurrency: 3 }, () => {
  for (const program of programs) {
    test(`runs: ${program.where}`, async () => {
      const { source, expected } = sourceOf(program);
      const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
      const file = join(folder.path, `${nameOf(program)}.mjs`);
      const code =
        program.language === 'ts'
          ? ts.transpileModule(source, { compilerOptions }).outputText
          : source;
      writeFileSync(file, code);
      const stdout = await output(
        process.execPath,
        ['--import', './printer.mjs', file],
        program.where,
      );
      const printed = new Map();
      for (const [, line] of stdout.matchAll(/^printed (.*)$/gm)) {
        const [place, text] = JSON.parse(line);
        printed.set(place, printed.has(place) ? `${printed.get(place)}, then ${text}` : text);
      }
      for (const [place, words] of expected) {
        const got = printed.get(place);
        assert.ok(agrees(got ?? '', words), `${place} prints “${got}”, and says “${words}”`);
      }
    });
  }
});

for (const file of documents()) {
  const blocks = blocksOf(file).filter(({ language, why }) => language === 'sh' && !why);
  if (blocks.length === 0) continue;
  test(`commands run, one after another: ${file}`, async () => {
    const bin = join(folder.path, 'node_modules/.bin');
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
    for (const { where, code } of blocks) await output('sh', ['-euc', code], where, env);
  });
}

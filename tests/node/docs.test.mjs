/** Every block of code in README.md and the documentation: it compiles, it runs, and it prints what it says. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import ts from 'typescript';
import { chainRows } from './data.mjs';
import { agrees, blocksOf, documents, programsOf, root, sourceOf } from './docs-code.mjs';

const folder = join(root, 'out/docs-code');
const scripts = { browser: false, languages: ['js', 'ts'] };

/** Prints a value and the place that printed it. */
const printer = `import { format } from 'node:util';
globalThis.print = (place, ...values) => {
  process.stdout.write(\`printed \${JSON.stringify([place, format(...values)])}\\n\`);
};
`;

before(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // As someone who installed the tarball has it.
  symlinkSync(join(root, 'out/pack/node_modules'), join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(folder, 'printer.mjs'), printer);
  // Files that pages speak of.
  const [numRows, dim] = [400, 6];
  const values = chainRows({ numRows, dim });
  const rows = Array.from({ length: numRows }, (_, row) =>
    values.slice(row * dim, (row + 1) * dim).join(','),
  );
  writeFileSync(join(folder, 'spikes.csv'), `${rows.join('\n')}\n`);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const nameOf = (program) => program.where.replace(/[^\w]+/g, '-');
const programs = documents().flatMap((file) => programsOf(file, scripts));

test('there is code to run, and what is not run has a reason', () => {
  const blocks = documents().flatMap((file) => blocksOf(file));
  assert.ok(programs.length > 20, `${programs.length} programs`);
  for (const { language, code, where } of blocks) {
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(code), where);
  }
});

test('all of it compiles, with the types of the package', () => {
  const files = programs.map((program) => {
    const file = join(folder, `${nameOf(program)}.mts`);
    writeFileSync(file, `${program.blocks.map(({ code }) => code).join('\n')}\nexport {};\n`);
    return file;
  });
  const checked = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  });
  const complaints = ts.getPreEmitDiagnostics(checked).map(({ file, start, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0;
    return `${file?.fileName.slice(folder.length + 1)}, line ${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
  assert.deepEqual(complaints, []);
});

for (const program of programs) {
  test(`runs: ${program.where}`, () => {
    const { source, expected } = sourceOf(program);
    const file = join(folder, `${nameOf(program)}.mjs`);
    const compiled =
      program.language === 'ts'
        ? ts.transpileModule(source, {
            compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
          }).outputText
        : source;
    writeFileSync(file, compiled);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', './printer.mjs', file],
      {
        cwd: folder,
        encoding: 'utf8',
        timeout: 300_000,
      },
    );
    assert.equal(status, 0, `${program.where} ended with ${status}: ${stderr}`);
    const printed = new Map();
    for (const [, line] of stdout.matchAll(/^printed (.*)$/gm)) {
      const [place, text] = JSON.parse(line);
      printed.set(place, printed.has(place) ? `${printed.get(place)}, then ${text}` : text);
    }
    for (const [place, words] of expected) {
      assert.ok(
        agrees(printed.get(place) ?? '(nothing)', words),
        `${place} prints “${printed.get(place)}”, and says “${words}”`,
      );
    }
  });
}

for (const file of documents()) {
  const blocks = blocksOf(file).filter(({ language, why }) => language === 'sh' && !why);
  if (blocks.length === 0) continue;
  test(`commands run, one after another: ${file}`, () => {
    for (const { where, code } of blocks) {
      const { status, stderr } = spawnSync('sh', ['-euc', code], {
        cwd: folder,
        encoding: 'utf8',
        timeout: 300_000,
        env: { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` },
      });
      assert.equal(status, 0, `${where} ended with ${status}: ${stderr}`);
    }
  });
}

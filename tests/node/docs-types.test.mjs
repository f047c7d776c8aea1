/** The TypeScript of README.md and the documentation compiles, with the types of the packed package. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { documents, programsOf, root } from './docs-code.mjs';
import { makeFolder, nameOf } from './docs-folder.mjs';

test('all of it compiles, with the types of the package', () => {
  const folder = makeFolder('docs-types');
  const programs = documents().flatMap((file) =>
    programsOf(file, { browser: false, languages: ['ts'] }),
  );
  assert.ok(programs.length >= 5, `${programs.length} programs`);
  const files = programs.map((program) => {
    const file = join(folder.path, `${nameOf(program)}.mts`);
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
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  });
  const complaints = ts.getPreEmitDiagnostics(checked).map(({ file, start, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0;
    const words = ts.flattenDiagnosticMessageText(messageText, ' ');
    return `${basename(file?.fileName ?? '')}, line ${line + 1}: ${words}`;
  });
  assert.deepEqual(complaints, []);
  folder.remove();
});

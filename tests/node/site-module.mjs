/** Modules of the site, to be tested without a browser. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

/** A module of `www` that imports nothing but what Node has, compiled on the spot. */
export async function siteModule(path) {
  const source = await readFile(new URL(`../../www/${path}`, import.meta.url), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

/** What several modules of `www` export, which may import each other: written compiled to one folder, beside each other. */
export async function siteModules(...paths) {
  const folder = mkdtempSync(join(tmpdir(), 'site-modules-'));
  try {
    for (const path of paths) {
      const source = await readFile(new URL(`../../www/${path}`, import.meta.url), 'utf8');
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      const file = join(folder, path.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, outputText);
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const files = paths.map((path) => pathToFileURL(join(folder, path.replace(/\.ts$/, '.js'))));
    const modules = await Promise.all(files.map((file) => import(file.href)));
    return Object.assign({}, ...modules);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

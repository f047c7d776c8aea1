/** Modules of the site, to be tested without a browser. */
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/** A module of `www` that imports nothing but what Node has, compiled on the spot. */
export async function siteModule(path) {
  const source = await readFile(new URL(`../../www/${path}`, import.meta.url), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

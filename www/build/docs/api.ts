/**
 * The reference of the package's interface, from the comments in `src/ts` as TypeDoc reads them: pages like the
 * others, with the same search, instead of a site of TypeDoc's own beside it.
 */
import { resolve } from 'node:path';
import { Application, type ProjectReflection, TSConfigReader } from 'typedoc';
import { apiPages } from './api-pages.js';
import { Writer } from './api-writer.js';
import type { Page } from './page.js';

/** Reads the package and writes its pages. Takes some seconds. */
export async function readApi(root: string): Promise<Page[]> {
  const source = resolve(root, 'src/ts');
  const app = await Application.bootstrap(
    {
      entryPoints: [resolve(source, 'index.ts'), resolve(source, 'generated/index.ts')],
      tsconfig: resolve(root, 'tsconfig.json'),
      logLevel: 'Error',
      excludeExternals: true,
      // tsc checks them; the wasm's declarations need not be there.
      skipErrorChecking: true,
      readme: 'none',
      sort: ['source-order'],
      gitRevision: 'none',
      disableGit: true,
      sourceLinkTemplate: '{path}',
    },
    [new TSConfigReader()],
  );
  const project: ProjectReflection | undefined = await app.convert();
  const [entry, generated] = ['index', 'generated'].map((name) =>
    project?.children?.find((module) => module.name === name || module.name === `${name}/index`),
  );
  if (!entry?.children || !generated?.children) {
    throw new Error('TypeDoc did not find the entries of the package in src/ts.');
  }
  const own = entry.children.filter((child) => child.name !== 'default');
  // The package's own form of a type may be an expression over the generated one, which has the fields.
  const fields = new Map(generated.children.map((child) => [child.name, child]));
  const names = new Map([...fields, ...own.map((child) => [child.name, child] as const)]);
  return apiPages.map((page) => new Writer(page, names, fields).write());
}

import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';

/** Where the reference of the crate is, below the root of the site. */
export const CRATE_REFERENCE = 'rust/';

/** Its first page. */
export const CRATE_PAGE = `${CRATE_REFERENCE}unnorm/`;

/** Serves the reference of the crate as rustdoc has written it to `out/rustdoc`: `npm run build` does that before. */
export function crateReference(root: string): Plugin {
  let outDir = '';
  return {
    name: 'crate-reference',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      // Before the service worker is told of all files.
      order: 'pre',
      sequential: true,
      handler() {
        cpSync(resolve(root, '../out/rustdoc'), join(outDir, CRATE_REFERENCE), { recursive: true });
      },
    },
  };
}

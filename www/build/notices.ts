import type { Plugin } from 'vite';
import { noticesName, siteNotices } from '../../src/tools/notices.mjs';
import { runtimeModules } from './live.js';

/** Adds the licences of what the site holds of others: the npm packages in its bundles, and the package's own. */
export function notices(): Plugin {
  return {
    name: 'notices',
    apply: 'build',
    generateBundle() {
      // Of all modules, also those that leave only a style sheet.
      const names = [...this.getModuleIds(), ...runtimeModules].flatMap(
        (id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [],
      );
      this.emitFile({
        type: 'asset',
        fileName: noticesName,
        source: siteNotices([...new Set(names)].sort()),
      });
    },
  };
}

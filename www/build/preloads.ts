import { resolve } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { labs } from '../labs/registry.js';

/**
 * Names in the page of every lab the files that its code will ask for. Otherwise a browser would hear of the lab's
 * script only when the page's own has run, and of that one's parts later still: a journey to the server each.
 */
export function preloads(root: string): Plugin {
  return {
    name: 'preloads',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, filename }) {
        const lab = labs.find(({ slug }) => filename === resolve(root, 'labs', slug, 'index.html'));
        if (!lab || !bundle) return html;
        const entry = resolve(root, 'labs', lab.slug, 'Lab.svelte');
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const start = chunks.find(({ facadeModuleId }) => facadeModuleId === entry);
        if (!start) throw new Error(`The lab “${lab.slug}” has no chunk of its own to preload.`);
        const needed = closure(start, chunks);
        const scripts = needed.map(({ fileName }) => fileName);
        const styles = needed.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])]);
        const tags = [
          ...[...new Set(styles)].map(
            (file) => `<link rel="stylesheet" crossorigin href="../../${file}">`,
          ),
          ...[...new Set(scripts)].map(
            (file) => `<link rel="modulepreload" crossorigin href="../../${file}">`,
          ),
        ].filter((tag) => !html.includes(tag.match(/href="([^"]+)"/)?.[1] ?? ''));
        return html.replace('</head>', () => `  ${tags.join('\n    ')}\n  </head>`);
      },
    },
  };
}

/** A chunk with all that it imports, directly or not, but for what it imports when it likes. */
function closure(start: Rolldown.OutputChunk, chunks: Rolldown.OutputChunk[]) {
  const found = new Set([start]);
  for (const chunk of found) {
    for (const name of chunk.imports) {
      const imported = chunks.find(({ fileName }) => fileName === name);
      if (imported) found.add(imported);
    }
  }
  return [...found];
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { labs } from '../labs/registry.js';
import { ADDRESS } from '../notebook/names.js';
import { readSources } from './docs/contents.js';
import { corpusJson } from './docs/paragraphs.js';
import { hashOf } from './live.js';
import { script } from './scripts.js';

/** The virtual modules of the data's addresses. */
const DATA = '\0notebook-data:';

/**
 * Makes of the bundle what the wheel takes along: `page.html.gz`, with all labs in it; the files of data that they
 * fetch, which the widget has from Python; `labs.json`, their titles by their names; `widget.js`.
 */
export function notebookFiles(root: string): Plugin {
  const names = new Set<string>();
  let outDir = '';
  return {
    name: 'notebook-files',
    enforce: 'pre',
    configResolved(config) {
      outDir = config.build.outDir;
    },
    resolveId(id) {
      const name = /\/data\/([^/?]+)\?url/.exec(id)?.[1];
      return name && DATA + name;
    },
    load(id) {
      if (!id.startsWith(DATA)) return;
      const name = id.slice(DATA.length);
      names.add(name);
      return `export default ${JSON.stringify(ADDRESS + name)};`;
    },
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        let code: string | undefined;
        let styles = '';
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk') {
            if (code !== undefined) throw new Error('The labs became several scripts, not one.');
            code = file.code;
          } else if (file.fileName.endsWith('.css')) styles += file.source;
          else continue;
          delete bundle[file.fileName];
        }
        if (code === undefined || styles === '')
          throw new Error('The bundle of the labs lacks its script or its styles.');
        const emit = (fileName: string, source: string | Uint8Array) =>
          this.emitFile({ type: 'asset', fileName, source });
        emit('page.html.gz', gzipSync(pageHtml(code, styles), { level: 9 }));
        for (const name of names) emit(`data/${name}`, readFileSync(join(root, 'data', name)));
        emit('data/docs-paragraphs.json', corpusJson(readSources(join(root, 'docs'))));
        emit('data/README.md', readFileSync(join(root, 'data/README.md')));
        const titles = Object.fromEntries(labs.map(({ slug, title }) => [slug, title]));
        emit('labs.json', JSON.stringify(titles));
      },
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      handler: () => script(join(root, 'notebook/widget.ts'), outDir, 'widget.js', {}, 'es'),
    },
  };
}

/** Before the first paint, so that no lab flashes in the wrong theme or language. The widget gives the frame its name. */
const FIRST = `{
  const { lab, form, theme } = JSON.parse(name);
  const root = document.documentElement;
  root.lang = navigator.languages.map((name) => name.slice(0, 2)).find((code) => ['en', 'de'].includes(code)) ?? 'en';
  Object.assign(root.dataset, { lab, embed: form, theme, language: root.lang });
}`;

/** A page that fetches nothing: its policy has no source but itself. */
function pageHtml(code: string, styles: string): string {
  // What would end the script or the style element. In strings, where alone it is, this is the same.
  const inside = code.replace(/<(\/?script)/gi, '\\x3C$1');
  if (/<\/style/i.test(styles)) throw new Error('The styles have </style in them.');
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(FIRST)} ${hashOf(inside)} 'wasm-unsafe-eval'`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>A lab of unnorm</title>
<style>${styles}</style>
<script>${FIRST}</script>
</head>
<body><div id="app"></div><script type="module">${inside}</script></body>
</html>
`;
}

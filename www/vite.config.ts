import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { cards } from './build/cards.js';
import { contentSecurityPolicy } from './build/content-security-policy.js';
import { crateReference } from './build/crate-reference.js';
import { docsPages } from './build/docs/index.js';
import { live } from './build/live.js';
import { notices } from './build/notices.js';
import { labPages } from './build/pages.js';
import { preloads } from './build/preloads.js';
import { scripts } from './build/scripts.js';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// With these the page is cross-origin isolated, so that the engine may use shared memory. It runs without them too.
const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const CHART = /\/uplot\/|\/www\/pictures\/(Chart|chart|axis)\./;
/** What most pages share: the framework, the package, the frame of the labs and small pictures. */
const KIT =
  /^(?!.*(\/uplot\/|\/www\/pictures\/(Chart|chart|axis)\.)).*(\/node_modules\/|\/www\/(frame|lib|pictures|shell)\/|\/dist\/)/;

export default defineConfig({
  root: at('.'),
  base: './',
  publicDir: false,
  cacheDir: at('../node_modules/.vite'),
  plugins: [
    svelte(),
    labPages(at('.')),
    docsPages(at('.')),
    preloads(at('.')),
    cards(at('.')),
    contentSecurityPolicy(at('.')),
    live(at('.')),
    notices(),
    crateReference(at('.')),
    scripts(at('.')),
  ],
  resolve: {
    // The first that fits is taken, and 'unnorm' fits both.
    alias: { 'unnorm/formats': at('../dist/formats/index.js'), unnorm: at('../dist/index.js') },
  },
  worker: { format: 'es' },
  server: { headers, fs: { allow: [at('..')] } },
  preview: { headers },
  build: {
    outDir: at('../out/site'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // The data keep their names, so that the code a lab shows can fetch them from a lasting address.
        assetFileNames: ({ originalFileNames }) =>
          originalFileNames.some((name) => name.startsWith('data/'))
            ? 'data/[name][extname]'
            : 'assets/[name]-[hash][extname]',
        // Few files: on a slow line every one costs more than its bytes, and browsers ask an old server for six at a time.
        codeSplitting: {
          groups: [
            // What fewer parts share is for them alone: every lab has to load the kit.
            { name: 'kit', test: KIT, minShareCount: 4, priority: 2 },
            // What draws charts is large, and not all pages have one.
            { name: 'chart', test: CHART, priority: 1 },
          ],
        },
      },
    },
  },
});

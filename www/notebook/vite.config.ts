/**
 * The labs for notebooks: one page that holds all of them, with the engine inside; their data; and the widget that shows
 * them. `src/tools/notebook.mjs` builds it, into out/notebook.
 */
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { notebookFiles } from '../build/notebook.js';
import { notices } from '../build/notices.js';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** A module of `www` that another stands in for here. */
const inPlaceOf = (name: string, replacement: string) => ({
  find: new RegExp(`^.*/${name.replace('.', '\\.')}$`),
  replacement: at(replacement),
});

export default defineConfig({
  root: at('..'),
  publicDir: false,
  cacheDir: at('../../node_modules/.vite'),
  plugins: [svelte({ configFile: at('../svelte.config.js') }), notebookFiles(at('..')), notices()],
  resolve: {
    alias: [
      inPlaceOf('site-files.js', 'site-files.ts'),
      inPlaceOf('dropped-files.js', 'dropped-files.ts'),
      inPlaceOf('CodeSection.svelte', 'CodeSection.svelte'),
      { find: 'unnorm/formats', replacement: at('../../dist/formats/index.js') },
      { find: 'unnorm', replacement: at('unnorm.ts') },
    ],
  },
  build: {
    outDir: at('../../out/notebook'),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    rolldownOptions: {
      input: at('main.ts'),
      output: { format: 'es', codeSplitting: false },
    },
  },
});

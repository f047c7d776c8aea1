import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { build, type Plugin, type Rolldown } from 'vite';
import { labs } from '../labs/registry.js';
import type { Manifest } from '../sw/files.js';
import { CRATE_REFERENCE } from './crate-reference.js';

/**
 * The two scripts of the site that are no modules and have lasting names: `embed.js`, which other sites load, and `sw.js`,
 * the service worker. They are made last, since the service worker has the hash of every other file in it.
 */
export function scripts(root: string): Plugin {
  let outDir = '';
  const later = new Set<string>();
  const translations = new Map<string, string>();
  return {
    name: 'scripts',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        const language = languageOf(file);
        if (language) translations.set(file.fileName, language);
        // The build with threads is there for who wants it; the labs work without. Licences, Markdown and the pictures of
        // links are for who looks.
        if (
          file.type === 'asset' &&
          (/\.(md|txt)$|^cards\//.test(file.fileName) ||
            file.originalFileNames.some((name) => name.includes('wasm/threads/')))
        )
          later.add(file.fileName);
      }
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const titles = Object.fromEntries(labs.map(({ slug, title }) => [slug, title]));
        await script(join(root, 'embed/embed.ts'), outDir, 'embed.js', { __TITLES__: titles });
        const manifest = manifestOf(outDir, later, translations);
        await script(join(root, 'sw/service-worker.ts'), outDir, 'sw.js', {
          __MANIFEST__: manifest,
        });
      },
    },
  };
}

/** Bundles a script into one file; one that is not of the format `es` needs no `type="module"`. */
export async function script(
  entry: string,
  outDir: string,
  name: string,
  define: Record<string, unknown>,
  format: 'iife' | 'es' = 'iife',
): Promise<void> {
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: Object.fromEntries(
      Object.entries(define).map(([key, value]) => [key, JSON.stringify(value)]),
    ),
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        preserveEntrySignatures: 'strict',
        output: { format, entryFileNames: name, codeSplitting: false },
      },
    },
  });
}

/** The language that a file is for, where it is for one alone: texts by their source, pages by their address. */
function languageOf(file: Rolldown.OutputChunk | Rolldown.OutputAsset): string | undefined {
  const source = file.type === 'chunk' ? (file.facadeModuleId ?? '') : '';
  const [, ofTexts] = /\/www\/languages\/([a-z]+)\//.exec(source.replaceAll('\\', '/')) ?? [];
  const [, ofPage] = /^([a-z]{2})\/docs\//.exec(file.fileName) ?? [];
  return ofTexts ?? ofPage;
}

function manifestOf(
  folder: string,
  isLater: ReadonlySet<string>,
  translations: ReadonlyMap<string, string>,
): Manifest {
  const files: Record<string, string> = {};
  const later: Record<string, string> = {};
  const languages: Record<string, Record<string, string>> = {};
  const names = readdirSync(folder, { recursive: true })
    .map((name) => String(name).split(sep).join('/'))
    .filter((name) => name !== 'sw.js' && statSync(join(folder, name)).isFile());
  for (const name of names.sort()) {
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    // The crate's reference is larger than all the rest, and for few.
    const comesLater = isLater.has(name) || name.startsWith(CRATE_REFERENCE);
    const language = translations.get(name);
    if (language) {
      languages[language] = { ...languages[language], [name]: hash };
      continue;
    }
    (comesLater ? later : files)[name] = hash;
  }
  const all = { files, later, languages };
  const version = createHash('sha256').update(JSON.stringify(all)).digest('hex');
  return { version: version.slice(0, 12), ...all };
}

/**
 * The two parts of live code that are no scripts of a page: the document of the sandboxed frame, and the runtime, one
 * script that holds the package and what a program finds around it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import type { Plugin } from 'vite';

const FRAME = 'virtual:live-frame';
const RUNTIME = 'virtual:live-runtime';
/** Where the server for development has the runtime. */
const DEV_ADDRESS = '/live-runtime.js';

/** The script of the frame, which the policy of every page has to allow: a frame from a blob is under both policies. */
export function frameScript(root: string): { source: string; hash: string } {
  const source = readFileSync(join(root, 'live/frame.js'), 'utf8');
  return { source, hash: hashOf(source) };
}

/** A source expression of a content security policy for an inline script. */
export function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}

function frameHtml(root: string): string {
  const { source, hash } = frameScript(root);
  const policy = `default-src 'none'; script-src ${hash} 'wasm-unsafe-eval'; worker-src blob:`;
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><script>${source}</script>`;
}

/** The files that the runtime was made of, once it was. */
export const runtimeModules = new Set<string>();

/** One classic script: Chromium starts no module from a blob in a frame without an origin. */
async function runtime(root: string): Promise<string> {
  const bundler = await rolldown({
    input: join(root, 'live/runtime/runtime.ts'),
    platform: 'browser',
    // Only wasm-bindgen's default address of the file uses it, which is never asked for.
    transform: { define: { 'import.meta': '{}' } },
  });
  try {
    const { output } = await bundler.generate({
      format: 'iife',
      name: 'liveRuntime',
      minify: true,
      codeSplitting: false,
    });
    for (const id of output[0].moduleIds) runtimeModules.add(id);
    return output[0].code;
  } finally {
    await bundler.close();
  }
}

/** Serves both to the scripts of the site, as modules of these names. */
export function live(root: string): Plugin {
  let isBuild = false;
  return {
    name: 'live',
    configResolved(config) {
      isBuild = config.command === 'build';
    },
    resolveId: (id) => (id === FRAME || id === RUNTIME ? `\0${id}` : undefined),
    async load(id) {
      if (id === `\0${FRAME}`) return `export default ${JSON.stringify(frameHtml(root))};`;
      if (id !== `\0${RUNTIME}`) return undefined;
      if (!isBuild) return `export default ${JSON.stringify(DEV_ADDRESS)};`;
      const source = await runtime(root);
      const file = this.emitFile({ type: 'asset', name: 'live-runtime.js', source });
      return `export default import.meta.ROLLUP_FILE_URL_${file};`;
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        if (request.url !== DEV_ADDRESS) return next();
        runtime(root)
          .then((text) => {
            response.setHeader('Content-Type', 'text/javascript');
            response.end(text);
          })
          .catch(next);
      });
    },
  };
}

/**
 * Serves the built site as a static host would, under a path of its own, with the headers that make a page
 * cross-origin isolated.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('../../out/site', import.meta.url));
const BASE = '/some/where/';
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** @returns the address of the landing page, and what ends the server. */
export async function serveSite() {
  if (!existsSync(resolve(SITE, 'index.html'))) throw new Error('There is no built site in out/site: run npm run build first.');
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    let file = resolve(SITE, decodeURIComponent(pathname).slice(BASE.length));
    if (pathname.endsWith('/')) file = resolve(file, 'index.html');
    const inside = pathname.startsWith(BASE) && (file === SITE || file.startsWith(SITE + sep));
    try {
      if (!inside) throw new Error('outside of the site');
      const content = await readFile(file);
      response.writeHead(200, {
        'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
        'Cache-Control': 'no-store',
      });
      response.end(content);
    } catch {
      response.writeHead(404, { 'Content-Type': 'text/plain' });
      response.end('not found');
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}${BASE}`,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

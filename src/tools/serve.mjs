/** A small static file server, for `npm start` and the browser tests. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/** What makes a page cross-origin isolated, so that it may share memory between threads. */
export const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** The file a request's path means, or null: never one outside the folder. */
async function fileFor(folder, base, path) {
  let name;
  try {
    name = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (!name.startsWith(base) || name.includes('\0')) return null;
  const file = normalize(join(folder, name.slice(base.length)));
  if (file !== folder && !file.startsWith(folder + sep)) return null;
  const stats = await stat(file).catch(() => null);
  if (stats?.isFile()) return { file, size: stats.size };
  if (!stats?.isDirectory() || !name.endsWith('/')) return null;
  const index = join(file, 'index.html');
  const indexStats = await stat(index).catch(() => null);
  return indexStats && { file: index, size: indexStats.size };
}

/**
 * Serves a folder.
 * @param {string} folder
 * @param {object} [options]
 * @param {number} [options.port] the first port to try, then the 20 after it; 0 for any free one
 * @param {string} [options.base] the path the folder appears under, with slashes at both ends
 * @param {Record<string, string>} [options.headers] sent with every answer
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve(folder, { port = 0, base = '/', headers = isolation } = {}) {
  const root = normalize(folder).replace(/[\\/]$/, '');
  const server = createServer(async (request, response) => {
    const path = request.url.split(/[?#]/)[0];
    const found = ['GET', 'HEAD'].includes(request.method) ? await fileFor(root, base, path) : null;
    if (!found) {
      response.writeHead(404, { ...headers, 'Content-Type': types['.txt'] }).end('not found\n');
      return;
    }
    response.writeHead(200, {
      ...headers,
      'Content-Type': types[extname(found.file)] ?? 'application/octet-stream',
      'Content-Length': found.size,
      'Cache-Control': 'no-cache',
    });
    if (request.method === 'HEAD') response.end();
    else
      createReadStream(found.file)
        .on('error', () => response.destroy())
        .pipe(response);
  });
  const chosen = await listen(server, port);
  return {
    url: `http://localhost:${chosen}${base}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens on the first free port from `first` on. */
async function listen(server, first) {
  for (let port = first; ; port++) {
    try {
      await new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, 'localhost', () => {
          server.off('error', reject);
          resolve();
        });
      });
      return server.address().port;
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || port >= first + 20) throw error;
    }
  }
}

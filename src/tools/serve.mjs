/**
 * A small static file server, for `npm start` and the browser tests. It does what static hosts do: it compresses, and
 * it lets browsers keep what they have: files with a hash in their name for good, all others until they change.
 */
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

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

/**
 * What makes a page cross-origin isolated, so that it may share memory between threads, and lets other pages that are
 * isolated load files from here.
 */
export const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** How files are compressed, by the names browsers ask for, the best first. */
const encodings = {
  br: (bytes) =>
    // Level 5 takes a tenth of a second for the WebAssembly file, where 11 takes half a minute.
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify(gzip),
};
const compressedAlready = new Set(['.png', '.jpg', '.ico', '.woff2', '.gz', '.br']);

/** Names that the build made of the content: the file never changes. */
const hashed = /\/assets\/[^/]+-[\w-]{8}\.\w+$/;

/** The best encoding that a request accepts for a file, or undefined. */
function encodingFor(request, file) {
  if (compressedAlready.has(extname(file))) return undefined;
  const accepted = String(request.headers['accept-encoding'] ?? '').split(/\s*,\s*/);
  return Object.keys(encodings).find((name) => accepted.includes(name));
}

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
  if (stats?.isFile()) return { file, stats };
  if (!stats?.isDirectory() || !name.endsWith('/')) return null;
  const index = join(file, 'index.html');
  const indexStats = await stat(index).catch(() => null);
  return indexStats && { file: index, stats: indexStats };
}

/**
 * Serves a folder.
 * @param {string} folder
 * @param {object} [options]
 * @param {number} [options.port] the first port to try, then the 20 after it; 0 for any free one
 * @param {string} [options.base] the path the folder appears under, with slashes at both ends
 * @param {Record<string, string> | ((path: string) => Record<string, string>)} [options.headers] sent with every answer, or
 *   with that to a path; they go before its own
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serve(folder, { port = 0, base = '/', headers = isolation } = {}) {
  const root = normalize(folder).replace(/[\\/]$/, '');
  /** Compressed files by name, time and encoding: the promise of their bytes. */
  const compressed = new Map();
  const compress = (file, etag, encoding) => {
    const key = `${encoding} ${etag} ${file}`;
    if (!compressed.has(key)) compressed.set(key, readFile(file).then(encodings[encoding]));
    return compressed.get(key);
  };
  const server = createServer(async (request, response) => {
    const path = request.url.split(/[?#]/)[0];
    const extra = typeof headers === 'function' ? headers(path) : headers;
    const found = ['GET', 'HEAD'].includes(request.method) ? await fileFor(root, base, path) : null;
    if (!found) {
      response.writeHead(404, { ...extra, 'Content-Type': types['.txt'] }).end('not found\n');
      return;
    }
    const { file, stats } = found;
    const encoding = encodingFor(request, file);
    const etag = `"${stats.size.toString(36)}-${Math.round(stats.mtimeMs).toString(36)}${encoding ?? ''}"`;
    const always = {
      'Cache-Control': hashed.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      Vary: 'Accept-Encoding',
      ETag: etag,
    };
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { ...always, ...extra }).end();
      return;
    }
    try {
      const bytes = await (encoding ? compress(file, etag, encoding) : readFile(file));
      response.writeHead(200, {
        ...always,
        ...(encoding && { 'Content-Encoding': encoding }),
        'Content-Type': types[extname(file)] ?? 'application/octet-stream',
        'Content-Length': bytes.length,
        ...extra,
      });
      response.end(request.method === 'HEAD' ? undefined : bytes);
    } catch {
      response.destroy();
    }
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

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { type LabEntry, labs } from '../labs/registry.js';
import { escapeHtml } from './docs/text.js';

/**
 * One HTML page a lab, made from `index.html`, so that every lab has an address, a title and a description of its
 * own on any static host, and adding a lab takes no HTML.
 */
export function labPages(root: string): Plugin {
  const pageOf = (lab: LabEntry) => resolve(root, 'labs', lab.slug, 'index.html');
  const labAt = (file: string) => labs.find((lab) => pageOf(lab) === file);
  const landing = resolve(root, 'index.html');

  return {
    name: 'lab-pages',
    config: () => ({
      build: {
        rolldownOptions: {
          input: {
            index: landing,
            ...Object.fromEntries(labs.map((lab) => [lab.slug, pageOf(lab)])),
          },
        },
      },
    }),
    resolveId: (id) => (labAt(id) ? id : undefined),
    load(id) {
      const lab = labAt(id);
      return lab && pageHtml(landing, lab);
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').replace(/[?#].*$/, '');
        const lab = labs.find(
          ({ slug }) => path === `/labs/${slug}/` || path === `/labs/${slug}/index.html`,
        );
        if (!lab) return next();
        server
          .transformIndexHtml(path, pageHtml(landing, lab))
          .then((html) => {
            response.setHeader('Content-Type', 'text/html');
            response.end(html);
          })
          .catch(next);
      });
    },
  };
}

function pageHtml(template: string, lab: LabEntry): string {
  const html = readFileSync(template, 'utf8');
  return replaceOnce(
    replaceOnce(
      replaceOnce(
        html,
        /<title>[^<]*<\/title>/,
        `<title>${escapeHtml(lab.title)} · unnorm</title>`,
      ),
      /<meta name="description" content="[^"]*"/,
      `<meta name="description" content="${escapeHtml(lab.summary)}"`,
    ),
    /data-lab=""/,
    `data-lab="${escapeHtml(lab.slug)}"`,
  );
}

function replaceOnce(text: string, pattern: RegExp, replacement: string): string {
  if (!pattern.test(text))
    throw new Error(`index.html no longer has ${pattern}, which the pages of the labs fill in.`);
  return text.replace(pattern, () => replacement);
}

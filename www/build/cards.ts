import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vite';
import { labs } from '../labs/registry.js';

/** The name of the picture for all pages but those of labs. */
const USUAL = 'site';

/**
 * What other programs show of a link to a page of the site, by the Open Graph protocol: title, description and, if the
 * environment variable SITE_ADDRESS says where the site will be, the page's own address and its picture, which have to
 * be whole addresses there. The pictures, `cards/NAME.png`, also stand in for labs on paper and without scripts.
 */
export function cards(root: string): Plugin {
  return {
    name: 'cards',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { filename }) {
        const path = relative(root, filename)
          .replaceAll(sep, '/')
          .replace(/index\.html$/, '');
        const tags = cardTags(html, path, process.env.SITE_ADDRESS);
        return html.replace('</head>', () => `  ${tags.join('\n    ')}\n  </head>`);
      },
    },
    generateBundle() {
      for (const name of [USUAL, ...labs.map(({ slug }) => slug)]) {
        const file = resolve(root, 'cards', `${name}.png`);
        // The script that makes it needs the built site.
        if (existsSync(file))
          this.emitFile({
            type: 'asset',
            fileName: `cards/${name}.png`,
            source: readFileSync(file),
          });
        else this.warn(`${name} has no picture yet: node tests/browser/link-cards.mjs makes it.`);
      }
    },
  };
}

/**
 * The tags of a page.
 * @param path of the page in the site, as `labs/annealing/`
 * @param site its address, if it is known
 */
export function cardTags(html: string, path: string, site: string | undefined): string[] {
  const title = contentOf(html, /<title>([^<]*)<\/title>/);
  const description = contentOf(html, /<meta name="description" content="([^"]*)"/);
  const tags = [
    tag('og:site_name', 'unnorm'),
    tag('og:type', 'website'),
    tag('og:title', title),
    tag('og:description', description),
  ];
  if (!site) return tags;
  const folder = site.endsWith('/') ? site : `${site}/`;
  if (!URL.canParse(folder))
    throw new Error(`SITE_ADDRESS is ${site}; give all of it, as https://example.org/unnorm/`);
  const lab = labs.find(({ slug }) => path === `labs/${slug}/`);
  return [
    ...tags,
    tag('og:url', new URL(path, folder).href),
    tag('og:image', new URL(`cards/${lab?.slug ?? USUAL}.png`, folder).href),
    tag('og:image:width', '1200'),
    tag('og:image:height', '630'),
    tag('og:image:alt', lab?.line ?? 'A lattice of spins'),
    '<meta name="twitter:card" content="summary_large_image" />',
  ];
}

function contentOf(html: string, pattern: RegExp): string {
  const found = html.match(pattern)?.[1];
  if (found === undefined) throw new Error(`A page has no ${pattern}.`);
  return found;
}

const tag = (property: string, content: string) =>
  `<meta property="${property}" content="${content}" />`;

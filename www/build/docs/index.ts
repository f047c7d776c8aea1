/**
 * The documentation as pages of the site: Markdown of `www/docs` and the reference of the package, with one index
 * for search, all made when the site is built.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { labs } from '../../labs/registry.js';
import { CRATE_PAGE } from '../crate-reference.js';
import { readApi } from './api.js';
import { apiPages } from './api-pages.js';
import { readSources, type Source } from './contents.js';
import { llmsText, markdownOf } from './llms.js';
import { render } from './markdown.js';
import { type Page, pageHtml } from './page.js';
import { corpusJson } from './paragraphs.js';
import { resultsIn, withResults } from './results.js';
import { searchIndex } from './search-index.js';
import { addressOf, relativeLink } from './text.js';
import { readTranslations, type Say, sayIn } from './translations.js';

/** Where the index of the search is, below the root of the site. */
const SEARCH = 'docs/search.json';
/** Where the words of its paragraphs are. The code that a lab shows fetches them, so the name lasts. */
const PARAGRAPHS = 'data/docs-paragraphs.json';

export function docsPages(root: string): Plugin {
  const folder = resolve(root, 'docs');
  const readAll = () => {
    const sources = readSources(folder);
    return [...sources, ...readTranslations(root, sources)];
  };
  const placeOf = ({ slug, language }: { slug: string; language?: string }) =>
    addressOf(slug, language);
  let sources = readAll();
  const addresses = [...sources, ...apiPages].map(placeOf);
  const fileOf = (address: string) => resolve(root, address, 'index.html');
  const addressAt = (file: string) => addresses.find((address) => fileOf(address) === file);
  const template = () => readFileSync(resolve(root, 'index.html'), 'utf8');
  let api: Promise<Page[]> | undefined;
  const make = async () => {
    api ??= readApi(resolve(root, '..'));
    const resultOf = resultsIn(resolve(root, '../tests/repro/results'));
    const filled = sources.map((source) => ({
      ...source,
      markdown: withResults(source.markdown, source.slug, resultOf),
    }));
    const hasFigure = (name: string) =>
      existsSync(resolve(root, 'course/figures', name, 'Figure.svelte'));
    const say = (language: string | undefined) => sayIn(root, language);
    const pages = renderAll(filled, hasFigure, say);
    const [english, others] = [pages.filter(isEnglish), pages.filter((page) => !isEnglish(page))];
    return { filled, pages: [...english, ...(await api), ...others] };
  };
  let made: ReturnType<typeof make> | undefined;
  const html = async (address: string) => {
    made ??= make();
    const { pages: all } = await made;
    const page = all.find((one) => placeOf(one) === address);
    if (!page) throw new Error(`There is no page ${address}.`);
    const inLanguage = all.filter(isEnglish).map((one) => {
      const other = all.find(
        ({ slug, language }) => slug === one.slug && language === page.language,
      );
      return other ?? one;
    });
    const others = all.filter((one) => one.slug === page.slug && one !== page);
    return pageHtml(template(), inLanguage, page, others, sayIn(root, page.language));
  };

  return {
    name: 'docs-pages',
    config: () => ({
      build: {
        rolldownOptions: {
          input: Object.fromEntries(
            addresses.map((address) => [address.replace(/\/$/, ''), fileOf(address)]),
          ),
        },
      },
    }),
    resolveId: (id) => (addressAt(id) ? id : undefined),
    load(id) {
      const address = addressAt(id);
      return address && html(address);
    },
    async generateBundle() {
      made ??= make();
      const { filled, pages } = await made;
      const english = pages.filter(isEnglish);
      const source = searchIndex(english, labs);
      this.emitFile({ type: 'asset', fileName: SEARCH, source });
      const paragraphs = corpusJson(sources.filter(isEnglish));
      this.emitFile({ type: 'asset', fileName: PARAGRAPHS, source: paragraphs });
      const markdown = new Map(
        filled.filter(isEnglish).map(({ slug, markdown }) => [slug, markdown]),
      );
      for (const [slug, source] of markdown) {
        this.emitFile({ type: 'asset', fileName: markdownOf(slug), source });
      }
      const { description } = JSON.parse(readFileSync(resolve(root, '../package.json'), 'utf8'));
      const list = llmsText(description, english, (slug) => markdown.has(slug), labs);
      this.emitFile({ type: 'asset', fileName: 'llms.txt', source: list });
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').replace(/[?#].*$/, '');
        const address = addresses.find((one) => [`/${one}`, `/${one}index.html`].includes(path));
        if (path === `/${PARAGRAPHS}`) {
          response.setHeader('Content-Type', 'application/json');
          response.end(corpusJson(readSources(folder)));
          return;
        }
        if (!address && path !== `/${SEARCH}`) return next();
        // While one writes, the Markdown is read anew each time; the reference, which is slow, once.
        sources = readAll();
        made = undefined;
        const answer = address
          ? html(address).then((text) => server.transformIndexHtml(path, text))
          : make().then(({ pages }) => searchIndex(pages.filter(isEnglish), labs));
        answer
          .then((text) => {
            response.setHeader('Content-Type', address ? 'text/html' : 'application/json');
            response.end(text);
          })
          .catch(next);
      });
    },
  };
}

const isEnglish = ({ language }: { language?: string }) => language === undefined;

/** All pages of Markdown, with the links between them checked. */
function renderAll(
  sources: readonly Source[],
  hasFigure: (name: string) => boolean,
  sayIn: (language: string | undefined) => Say,
): Page[] {
  const known = new Set([...sources.map(({ slug }) => slug), ...apiPages.map(({ slug }) => slug)]);
  const renderOne = (source: Source, anchors?: readonly string[]) => {
    // A link leads to the page in the same language, if it is there.
    const addressFor = (slug: string) => {
      const same = sources.some((one) => one.slug === slug && one.language === source.language);
      return addressOf(slug, same ? source.language : undefined);
    };
    const from = addressFor(source.slug);
    const rendered = render(source.markdown, {
      slug: source.slug,
      title: source.title,
      resolve: (href) => resolveLink(source.slug, from, href, known, addressFor),
      hasFigure,
      say: sayIn(source.language),
      ...(anchors && { anchors }),
    });
    return { source, ...rendered };
  };
  const inEnglish = sources.filter(isEnglish).map((source) => renderOne(source));
  const others = sources
    .filter((source) => !isEnglish(source))
    .map((source) => {
      const english = inEnglish.find((one) => one.source.slug === source.slug);
      const anchors = english?.parts.slice(1).map(({ anchor }) => anchor);
      return renderOne(source, anchors);
    });
  const rendered = [...inEnglish, ...others];
  for (const { source, links } of rendered) {
    for (const link of links) {
      const [slug, anchor] = link.split('#');
      const target = rendered.find((one) => one.source.slug === slug);
      if (anchor && target && !target.parts.some((part) => part.anchor === anchor)) {
        throw new Error(
          `www/docs/${source.slug}.md links to #${anchor} of ${slug}, which has no such heading.`,
        );
      }
    }
  }
  return rendered.map(({ source: { markdown: _, ...source }, html, parts }) => ({
    ...source,
    html,
    parts,
  }));
}

/** A relative link of a Markdown file: to another, to a page of the reference, or to a lab. */
function resolveLink(
  slug: string,
  from: string,
  href: string,
  known: ReadonlySet<string>,
  addressFor: (slug: string) => string,
) {
  const path = normalize(join('docs', dirname(slug), href)).replaceAll('\\', '/');
  const target = /^docs\/(.+?)(?:\.md|\/)$/.exec(path)?.[1];
  if (target && known.has(target))
    return { href: relativeLink(from, addressFor(target)), slug: target };
  if (path === CRATE_PAGE) return { href: relativeLink(from, path) };
  const lab = /^labs\/([^/]+)\/$/.exec(path)?.[1];
  if (labs.some((entry) => entry.slug === lab)) return { href: relativeLink(from, path) };
  throw new Error(`www/docs/${slug}.md links to ${href}, which is no page and no lab.`);
}

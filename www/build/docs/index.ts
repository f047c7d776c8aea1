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

/** Where the index of the search is, below the root of the site. */
const SEARCH = 'docs/search.json';
/** Where the words of its paragraphs are. The code that a lab shows fetches them, so the name lasts. */
const PARAGRAPHS = 'data/docs-paragraphs.json';

export function docsPages(root: string): Plugin {
  const folder = resolve(root, 'docs');
  const slugs = [
    ...readSources(folder).map(({ slug }) => slug),
    ...apiPages.map(({ slug }) => slug),
  ];
  const fileOf = (slug: string) => resolve(root, addressOf(slug), 'index.html');
  const slugAt = (file: string) => slugs.find((slug) => fileOf(slug) === file);
  const template = () => readFileSync(resolve(root, 'index.html'), 'utf8');
  let api: Promise<Page[]> | undefined;
  const readMarkdown = () => {
    const resultOf = resultsIn(resolve(root, '../tests/repro/results'));
    return readSources(folder).map((source) => ({
      ...source,
      markdown: withResults(source.markdown, source.slug, resultOf),
    }));
  };
  const read = async () => {
    api ??= readApi(resolve(root, '..'));
    const hasFigure = (name: string) =>
      existsSync(resolve(root, 'course/figures', name, 'Figure.svelte'));
    return [...renderAll(readMarkdown(), hasFigure), ...(await api)];
  };
  let pages: Promise<Page[]> | undefined;
  const html = async (slug: string) => {
    pages ??= read();
    const all = await pages;
    const page = all.find((one) => one.slug === slug);
    if (!page) throw new Error(`There is no page ${slug}.`);
    return pageHtml(template(), all, page);
  };

  return {
    name: 'docs-pages',
    config: () => ({
      build: {
        rolldownOptions: {
          input: Object.fromEntries(slugs.map((slug) => [`docs/${slug}`, fileOf(slug)])),
        },
      },
    }),
    resolveId: (id) => (slugAt(id) ? id : undefined),
    load(id) {
      const slug = slugAt(id);
      return slug && html(slug);
    },
    async generateBundle() {
      pages ??= read();
      const source = searchIndex(await pages, labs);
      this.emitFile({ type: 'asset', fileName: SEARCH, source });
      const paragraphs = corpusJson(readSources(folder));
      this.emitFile({ type: 'asset', fileName: PARAGRAPHS, source: paragraphs });
      const markdown = new Map(readMarkdown().map(({ slug, markdown }) => [slug, markdown]));
      for (const [slug, source] of markdown) {
        this.emitFile({ type: 'asset', fileName: markdownOf(slug), source });
      }
      const { description } = JSON.parse(readFileSync(resolve(root, '../package.json'), 'utf8'));
      const list = llmsText(description, await pages, (slug) => markdown.has(slug), labs);
      this.emitFile({ type: 'asset', fileName: 'llms.txt', source: list });
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').replace(/[?#].*$/, '');
        const slug = slugs.find((one) =>
          [`/${addressOf(one)}`, `/${addressOf(one)}index.html`].includes(path),
        );
        if (path === `/${PARAGRAPHS}`) {
          response.setHeader('Content-Type', 'application/json');
          response.end(corpusJson(readSources(folder)));
          return;
        }
        if (!slug && path !== `/${SEARCH}`) return next();
        // While one writes, the Markdown is read anew each time; the reference, which is slow, once.
        pages = undefined;
        const answer = slug
          ? html(slug).then((text) => server.transformIndexHtml(path, text))
          : read().then((all) => searchIndex(all, labs));
        answer
          .then((text) => {
            response.setHeader('Content-Type', slug ? 'text/html' : 'application/json');
            response.end(text);
          })
          .catch(next);
      });
    },
  };
}

/** All pages of Markdown, with the links between them checked. */
function renderAll(sources: readonly Source[], hasFigure: (name: string) => boolean): Page[] {
  const known = new Set([...sources.map(({ slug }) => slug), ...apiPages.map(({ slug }) => slug)]);
  const rendered = sources.map((source) => ({
    source,
    ...render(source.markdown, {
      slug: source.slug,
      title: source.title,
      resolve: (href) => resolveLink(source.slug, href, known),
      hasFigure,
    }),
  }));
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
function resolveLink(slug: string, href: string, known: ReadonlySet<string>) {
  const path = normalize(join('docs', dirname(slug), href)).replaceAll('\\', '/');
  const target = /^docs\/(.+?)(?:\.md|\/)$/.exec(path)?.[1];
  const from = addressOf(slug);
  if (target && known.has(target))
    return { href: relativeLink(from, addressOf(target)), slug: target };
  if (path === CRATE_PAGE) return { href: relativeLink(from, path) };
  const lab = /^labs\/([^/]+)\/$/.exec(path)?.[1];
  if (labs.some((entry) => entry.slug === lab)) return { href: relativeLink(from, path) };
  throw new Error(`www/docs/${slug}.md links to ${href}, which is no page and no lab.`);
}

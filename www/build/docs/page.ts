/**
 * A page of the documentation as HTML: all of it in the file, so that it can be read, searched by others and printed
 * without a script. The script adds the header of the site, the search and what copies code.
 */
import { addressOf, escapeHtml, relativeLink } from './text.js';

/** A rendered page. */
export interface Page {
  slug: string;
  section: string;
  label: string;
  title: string;
  summary: string;
  html: string;
  /** Whole minutes for a chapter of the course. */
  minutes?: number;
  parts: { anchor: string; heading: string; depth: number; text: string }[];
}

/** Fills the template of the site, `www/index.html`. */
export function pageHtml(template: string, pages: readonly Page[], page: Page): string {
  const replace = (html: string, pattern: RegExp, replacement: string) => {
    if (!pattern.test(html)) {
      throw new Error(`index.html no longer has ${pattern}, which the documentation fills in.`);
    }
    return html.replace(pattern, () => replacement);
  };
  let html = template.replace(/\n\s*<noscript>[\s\S]*?<\/noscript>/, '');
  // Labs have titles like those of the methods they show, and chapters like those of the guides they lead to.
  const part = page.minutes === undefined ? 'documentation' : 'course';
  const title = page.slug === 'index' ? 'Documentation · unnorm' : `${page.title} · unnorm ${part}`;
  html = replace(html, /<title>[^<]*<\/title>/, `<title>${escapeHtml(title)}</title>`);
  html = replace(
    html,
    /<meta name="description" content="[^"]*"/,
    `<meta name="description" content="${escapeHtml(page.summary)}"`,
  );
  html = replace(html, /data-lab=""/, `data-docs="${page.slug}" data-home="${homeOf(page)}"`);
  html = replace(html, /<div id="app"><\/div>/, body(pages, page));
  return replace(html, /src="\/main\.ts"/, 'src="/docs/page/main.ts"');
}

const homeOf = (page: Page) => relativeLink(addressOf(page.slug), '');
const linkTo = (from: Page, to: Page) => relativeLink(addressOf(from.slug), addressOf(to.slug));

function body(pages: readonly Page[], page: Page): string {
  return `<a class="skip" href="#main">Skip to the content</a>
    <div id="header"><a class="name" href="${homeOf(page)}">unnorm</a></div>
    <div class="docs-page">
      <div class="tools">
        <div id="search"></div>
        <nav class="all" aria-label="Contents"><a href="#all-pages">All pages</a></nav>
      </div>
      <main id="main" tabindex="-1">
        <article>
${page.slug === 'index' ? '' : `<p class="section">${escapeHtml(page.section)}</p>\n`}${withMinutes(page)}
        </article>
        ${neighbours(pages, page)}
      </main>
      ${onThisPage(page)}
      ${allPages(pages, page)}
    </div>
    <div id="footer"></div>`;
}

/** The text of a page; that of a chapter says below its title how long it takes. */
function withMinutes({ html, minutes }: Page): string {
  if (minutes === undefined) return html;
  return html.replace('</h1>', `</h1>\n<p class="reading-time">About ${minutes} minutes</p>`);
}

function onThisPage({ parts }: Page): string {
  const entries = parts.filter(({ depth }) => depth === 2);
  if (entries.length < 2) return '';
  const items = entries.map(
    ({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  return `<details class="toc"><summary>On this page</summary>
        <nav aria-label="On this page"><ul>${items.join('')}</ul></nav></details>`;
}

function allPages(pages: readonly Page[], current: Page): string {
  const sections = [...new Set(pages.map(({ section }) => section))].map((section) => {
    const items = pages
      .filter((page) => page.section === section)
      .map((page) => {
        const here = page === current ? ' aria-current="page"' : '';
        return `<li><a href="${linkTo(current, page)}"${here}>${escapeHtml(page.title)}</a></li>`;
      });
    return `<section><h2>${escapeHtml(section)}</h2><ul>${items.join('')}</ul></section>`;
  });
  return `<nav id="all-pages" class="pages" aria-label="Documentation" tabindex="-1">${sections.join('')}</nav>`;
}

function neighbours(pages: readonly Page[], page: Page): string {
  const at = pages.indexOf(page);
  const link = (to: Page | undefined, rel: string, word: string) =>
    to
      ? `<a rel="${rel}" href="${linkTo(page, to)}"><span>${word}</span> ${escapeHtml(to.title)}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(pages[at - 1], 'prev', 'Before')}${link(pages[at + 1], 'next', 'Next')}</nav>`;
}

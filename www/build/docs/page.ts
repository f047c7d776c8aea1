/**
 * A page of the documentation as HTML: all of it in the file, so that it can be read, searched by others and printed
 * without a script. The script adds the header of the site, the search and what copies code.
 */
import { addressOf, escapeHtml, relativeLink } from './text.js';
import type { Say } from './translations.js';

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
  /** Its code, where it is not English. */
  language?: string;
  parts: { anchor: string; heading: string; depth: number; text: string }[];
}

/**
 * Fills the template of the site, `www/index.html`. `pages` are all of the page's language, those that are not in it in
 * English, and `others` the same page in other languages.
 */
export function pageHtml(
  template: string,
  pages: readonly Page[],
  page: Page,
  others: readonly Page[],
  say: Say,
): string {
  const replace = (html: string, pattern: RegExp, replacement: string) => {
    if (!pattern.test(html)) {
      throw new Error(`index.html no longer has ${pattern}, which the documentation fills in.`);
    }
    return html.replace(pattern, () => replacement);
  };
  let html = template.replace(/\n\s*<noscript>[\s\S]*?<\/noscript>/, '');
  // Labs have titles like those of the methods they show, and chapters like those of the guides they lead to.
  const part = page.minutes === undefined ? say('documentation') : say('course');
  const title = page.slug === 'index' ? 'Documentation · unnorm' : `${page.title} · unnorm ${part}`;
  html = replace(html, /<title>[^<]*<\/title>/, `<title>${escapeHtml(title)}</title>`);
  html = replace(
    html,
    /<meta name="description" content="[^"]*"/,
    `<meta name="description" content="${escapeHtml(page.summary)}"`,
  );
  html = replace(html, /<html lang="en"/, `<html lang="${page.language ?? 'en'}"`);
  // Where the page is in other languages, by their codes.
  const elsewhere = others.map(
    (other) => ` data-${other.language ?? 'en'}="${linkTo(page, other)}"`,
  );
  html = replace(
    html,
    /data-lab=""/,
    `data-docs="${page.slug}" data-home="${homeOf(page)}"${elsewhere.join('')}`,
  );
  const alternates = others.map(
    (other) =>
      `<link vite-ignore rel="alternate" hreflang="${other.language ?? 'en'}" href="${linkTo(page, other)}" />`,
  );
  if (alternates.length > 0)
    html = replace(html, /<\/head>/, `  ${alternates.join('\n    ')}\n  </head>`);
  html = replace(html, /<div id="app"><\/div>/, body(pages, page, say));
  return replace(html, /src="\/main\.ts"/, 'src="/docs/page/main.ts"');
}

const at = ({ slug, language }: Page) => addressOf(slug, language);
const homeOf = (page: Page) => relativeLink(at(page), '');
const linkTo = (from: Page, to: Page) => relativeLink(at(from), at(to));

function body(pages: readonly Page[], page: Page, say: Say): string {
  return `<a class="skip" href="#main">${say('Skip to the content')}</a>
    <div id="header"><a class="name" href="${homeOf(page)}">unnorm</a></div>
    <div class="docs-page">
      <div class="tools">
        <div id="search"></div>
        <nav class="all" aria-label="${say('Contents')}"><a href="#all-pages">${say('All pages')}</a></nav>
      </div>
      <main id="main" tabindex="-1">
        <article>
${page.slug === 'index' ? '' : `<p class="section">${escapeHtml(page.section)}</p>\n`}${withMinutes(page, say)}
        </article>
        ${neighbours(pages, page, say)}
      </main>
      ${onThisPage(page, say)}
      ${allPages(pages, page, say)}
    </div>
    <div id="footer"></div>`;
}

/** The text of a page; that of a chapter says below its title how long it takes. */
function withMinutes({ html, minutes }: Page, say: Say): string {
  if (minutes === undefined) return html;
  return html.replace(
    '</h1>',
    `</h1>\n<p class="reading-time">${say('About {minutes} minutes', { minutes })}</p>`,
  );
}

function onThisPage({ parts }: Page, say: Say): string {
  const entries = parts.filter(({ depth }) => depth === 2);
  if (entries.length < 2) return '';
  const items = entries.map(
    ({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  return `<details class="toc"><summary>${say('On this page')}</summary>
        <nav aria-label="${say('On this page')}"><ul>${items.join('')}</ul></nav></details>`;
}

function allPages(pages: readonly Page[], current: Page, say: Say): string {
  const sections = [...new Set(pages.map(({ section }) => section))].map((section) => {
    const items = pages
      .filter((page) => page.section === section)
      .map((page) => {
        const here = page === current ? ' aria-current="page"' : '';
        return `<li><a href="${linkTo(current, page)}"${here}>${titleIn(current, page)}</a></li>`;
      });
    return `<section><h2>${escapeHtml(say(section))}</h2><ul>${items.join('')}</ul></section>`;
  });
  return `<nav id="all-pages" class="pages" aria-label="${say('Documentation')}" tabindex="-1">${sections.join('')}</nav>`;
}

/** A title, which says where it is in another language than the page around it. */
function titleIn(page: Page, { title, language }: Page): string {
  const text = escapeHtml(title);
  return language === page.language ? text : `<bdi lang="${language ?? 'en'}">${text}</bdi>`;
}

function neighbours(pages: readonly Page[], page: Page, say: Say): string {
  const place = pages.indexOf(page);
  const link = (to: Page | undefined, rel: string, word: string) =>
    to
      ? `<a rel="${rel}" href="${linkTo(page, to)}"><span>${word}</span> ${titleIn(page, to)}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="${say('Neighbouring pages')}">${link(pages[place - 1], 'prev', say('Before'))}${link(pages[place + 1], 'next', say('Next'))}</nav>`;
}

/** Texts between Markdown, HTML and words. */

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Markdown as words alone, for titles and summaries. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_$]/g, '')
    .replace(/\\,/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The name by which a heading is linked to: lower case, words joined by hyphens, as GitHub does. */
export function anchorOf(heading: string): string {
  return plainText(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** From a page to another, both given from the root of the site, as a relative address. */
export function relativeLink(from: string, to: string): string {
  const depth = from.split('/').length - 1;
  const up = '../'.repeat(depth);
  return `${up}${to}` || './';
}

/** The address of a page of the documentation from the root of the site. */
export function addressOf(slug: string, language?: string): string {
  const address = slug === 'index' ? 'docs/' : `docs/${slug}/`;
  return language ? `${language}/${address}` : address;
}

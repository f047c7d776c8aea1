/**
 * The site for programs that read: `llms.txt`, which lists what there is, and the documentation as Markdown beside its
 * pages. See https://llmstxt.org.
 */
import type { LabEntry } from '../../labs/registry.js';
import type { Page } from './page.js';
import { addressOf } from './text.js';

/** Where a page of Markdown is, below the root of the site. */
export const markdownOf = (slug: string): string => `docs/${slug}.md`;

/**
 * The list: a line for each page and each lab, by the sections of the documentation.
 * @param description of the project, in a sentence
 * @param isMarkdown whether a page has Markdown
 */
export function llmsText(
  description: string,
  pages: readonly Page[],
  isMarkdown: (slug: string) => boolean,
  labs: readonly LabEntry[],
): string {
  const sections = [...new Set(pages.map(({ section }) => section))];
  const line = (title: string, address: string, what: string) =>
    `- [${title}](${address})${what ? `: ${what}` : ''}`;
  const linesOf = (section: string) =>
    pages
      .filter((page) => page.section === section)
      .map(({ slug, title, summary }) =>
        line(title, isMarkdown(slug) ? markdownOf(slug) : addressOf(slug), summary),
      );
  const blocks = [
    '# unnorm',
    `> ${description}.`,
    ...sections.map((section) => `## ${section}\n\n${linesOf(section).join('\n')}`),
    `## Labs\n\n${labs.map(({ title, slug, line: what }) => line(title, `labs/${slug}/`, what)).join('\n')}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

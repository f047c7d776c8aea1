/**
 * Pages of the documentation in other languages: `www/languages/CODE/docs/SLUG.md` stands beside `www/docs/SLUG.md`, with the
 * same figures, code, formulas and links. Its address is the other one's below `CODE/`, and so are its anchors.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { headOf, type Source } from './contents.js';

/** Gives what a text of the build says in a language. */
export type Say = (english: string, values?: Readonly<Record<string, string | number>>) => string;

export const inEnglish: Say = (english, values = {}) =>
  english.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));

/** The texts of pages that the build writes, in a language of `www/languages`. */
export function sayIn(root: string, language: string | undefined): Say {
  if (!language) return inEnglish;
  const file = join(root, 'languages', language, 'messages/pages.json');
  const messages: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'));
  return (english, values) => inEnglish(messages[english] ?? english, values);
}

/** All pages in other languages, in the order of the English ones. */
export function readTranslations(root: string, sources: readonly Source[]): Source[] {
  return readdirSync(join(root, 'languages')).flatMap((language) => {
    const folder = join(root, 'languages', language, 'docs');
    if (!existsSync(folder)) return [];
    const say = sayIn(root, language);
    const files = readdirSync(folder, { recursive: true })
      .map((file) => String(file).replaceAll('\\', '/'))
      .filter((file) => file.endsWith('.md'))
      .map((file) => file.slice(0, -3));
    const stray = files.find((file) => !sources.some(({ slug }) => slug === file));
    if (stray) throw new Error(`www/languages/${language}/docs/${stray}.md is a page of no other.`);
    return sources
      .filter(({ slug }) => files.includes(slug))
      .map((source) => {
        const markdown = readFileSync(join(folder, `${source.slug}.md`), 'utf8');
        const head = headOf(markdown, source.slug);
        return { ...source, ...head, section: say(source.section), markdown, language };
      });
  });
}

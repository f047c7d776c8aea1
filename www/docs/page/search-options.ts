import type { Options } from 'minisearch';

/** A part of a page, or a lab, as the search knows it. */
export interface SearchEntry {
  id: number;
  title: string;
  /** Of the part; empty where it is a whole page or its beginning. */
  heading: string;
  text: string;
  /** What kind of page: Guide, Method, Findings, API, Lab. */
  label: string;
  /** From the root of the site. */
  href: string;
}

/** The same when the index is made and when it is read. Capitals in names such as `logZ` part words, too. */
export const searchOptions: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'label', 'href'],
  tokenize: (text) =>
    text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => {
      const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u);
      return parts.length > 1 ? [word, ...parts] : [word];
    }),
  processTerm: (term) => (term.length > 1 ? term.toLowerCase() : null),
  searchOptions: {
    boost: { title: 4, heading: 3 },
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
  },
};

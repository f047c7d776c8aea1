/** What the search of the documentation looks through: an entry for each part of a page, and one for each lab. */
import MiniSearch from 'minisearch';
import { type SearchEntry, searchOptions } from '../../docs/page/search-options.js';
import type { LabEntry } from '../../labs/registry.js';
import type { Page } from './page.js';
import { addressOf } from './text.js';

/** The index as JSON. */
export function searchIndex(pages: readonly Page[], labs: readonly LabEntry[]): string {
  const index = new MiniSearch<SearchEntry>(searchOptions);
  let id = 0;
  for (const page of pages) {
    for (const { anchor, heading, depth, text } of page.parts) {
      index.add({
        id: id++,
        title: page.title,
        heading: depth === 1 ? '' : heading,
        text: text.replace(/\s+/g, ' ').trim(),
        label: page.label,
        href: addressOf(page.slug) + (anchor ? `#${anchor}` : ''),
      });
    }
  }
  for (const lab of labs) {
    index.add({
      id: id++,
      title: lab.title,
      heading: '',
      text: lab.summary,
      label: 'Lab',
      href: `labs/${lab.slug}/`,
    });
  }
  return JSON.stringify(index);
}

/** The paragraphs of the documentation as words: what the lab of topics learns from. */
import type { Corpus, Paragraph } from '../../labs/topics-and-taste/corpus.js';
import { singularOf, wordsOf } from '../../lib/prose-words.js';
import type { Source } from './contents.js';
import { addressOf, anchorOf, plainText } from './text.js';

/** The most frequent words, of those that stand in some paragraphs at least. */
const NUM_WORDS = 600;
const LEAST_PARAGRAPHS = 3;
/** A paragraph goes on in the next one below the same heading while it has fewer words than this. */
const ENOUGH_WORDS = 30;
/** One that ends with fewer of the known words says too little. */
const LEAST_WORDS = 8;
/** So many characters of a paragraph are shown. */
const SHOWN = 240;

interface Block {
  page: string;
  href: string;
  text: string;
  words: string[];
}

/** The corpus as JSON. */
export function corpusJson(sources: readonly Source[]): string {
  return JSON.stringify(corpusOf(sources));
}

function corpusOf(sources: readonly Source[]): Corpus {
  const found = sources.flatMap(blocksOf);
  const all = new Set(found.flatMap(({ words }) => words));
  const blocks = found.map((block) => ({
    ...block,
    words: block.words.map((word) => singularOf(word, (one) => all.has(one))),
  }));
  const times = timesOf(blocks.flatMap(({ words }) => words));
  const numParagraphs = timesOf(blocks.flatMap(({ words }) => [...new Set(words)]));
  const words = [...times]
    .filter(([word]) => (numParagraphs.get(word) ?? 0) >= LEAST_PARAGRAPHS)
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, NUM_WORDS)
    .map(([word]) => word);
  const numberOf = new Map(words.map((word, n) => [word, n]));
  const paragraphs = blocks
    .map(
      (block): Paragraph => ({
        ...block,
        words: block.words.flatMap((word) => numberOf.get(word) ?? []),
      }),
    )
    .filter((paragraph) => paragraph.words.length >= LEAST_WORDS);
  return { words, paragraphs };
}

function timesOf(words: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
  return times;
}

/** The paragraphs and lists of a page, short ones joined. Code, tables and formulas that stand alone are none. */
function blocksOf({ slug, title, markdown }: Source): Block[] {
  const blocks: Block[] = [];
  let anchor = '';
  let last: Block | undefined;
  const parts = markdown
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/<!--[\s\S]*?-->|\{\{[\s\S]*?\}\}/g, '')
    .split(/\n\s*\n/);
  for (const part of parts) {
    const heading = /^(#+) (.+)/.exec(part.trim());
    if (heading?.[2]) {
      anchor = heading[1] === '#' ? '' : `#${anchorOf(heading[2])}`;
      last = undefined;
      continue;
    }
    if (/^\s*(\||\$\$|$)/.test(part)) continue;
    const bare = part.replace(/^\s*(?:[-*]|\d+\.) /gm, '');
    // Names of code and symbols are no words of prose.
    const words = wordsOf(plainText(bare.replace(/`[^`]*`|\$[^$]*\$/g, ' ')));
    const text = plainText(bare.replace(/\$[^$]*\$/g, '…'));
    if (last && last.words.length < ENOUGH_WORDS) {
      last.words.push(...words);
      last.text = shortened(`${last.text} ${text}`);
    } else {
      last = { page: title, href: addressOf(slug) + anchor, text: shortened(text), words };
      blocks.push(last);
    }
  }
  return blocks;
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, text.lastIndexOf(' ', SHOWN))} …` : text;
}

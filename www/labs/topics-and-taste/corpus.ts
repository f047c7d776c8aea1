import { singularOf, wordsOf } from '../../lib/prose-words.js';
import { addressOnSite, fetchFile } from '../../lib/site-files.js';
import { HELD_OUT_EVERY } from './machine.js';

/** A paragraph of the documentation. */
export interface Paragraph {
  /** The title of its page. */
  page: string;
  /** Where it is, from the root of the site. */
  href: string;
  /** How it begins. */
  text: string;
  /** Its words by their numbers, in their order. */
  words: number[];
}

/** The documentation as the build writes it. */
export interface Corpus {
  words: string[];
  paragraphs: Paragraph[];
}

/** The root of the site, as a lab sees it. */
export const ROOT = '../../';
const FILE = 'data/docs-paragraphs.json';

/** Where the words can be fetched from, for the code that the lab shows. */
export function corpusUrl(): string {
  return addressOnSite(FILE);
}

export async function loadCorpus(): Promise<Corpus> {
  const response = await fetchFile(corpusUrl());
  if (!response.ok) throw new Error('The words of the documentation could not be fetched.');
  return (await response.json()) as Corpus;
}

export function isHeldOut(paragraph: number): boolean {
  return paragraph % HELD_OUT_EVERY === 0;
}

/** The known words of a text by their numbers. */
export function numbersIn(text: string, { words }: Corpus): number[] {
  const numberOf = new Map(words.map((word, n) => [word, n]));
  return wordsOf(text).flatMap((word) => {
    return numberOf.get(word) ?? numberOf.get(singularOf(word, (one) => numberOf.has(one))) ?? [];
  });
}

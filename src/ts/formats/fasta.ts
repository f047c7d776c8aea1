/**
 * FASTA files of aligned sequences: for each sequence a line `>name`, and lines of letters. Line
 * ends may be any, blank lines are skipped. Small letters and dots are columns of insertions (a2m),
 * which are left out, as in plmDCA (Ekeberg et al. 2013).
 */

import { describe, invalidData } from '../checks.js';
import { MAX_ENTRIES, refused, textOf } from './refusal.js';

/** The gap and the amino acids, in the order of their values: the gap is value 0. */
export const AMINO_ACIDS = '-ACDEFGHIKLMNPQRSTVWY';

/** How an alignment is read. */
export interface FastaOptions {
  /**
   * The letters of the values 0, 1, …; `AMINO_ACIDS` if absent. Nucleotides are `'-ACGT'`.
   */
  alphabet?: string;
  /**
   * What a letter means that is not in the alphabet, such as X: a gap, if absent, or an error.
   * Without '-' in the alphabet it is an error.
   */
  unknown?: 'gap' | 'refuse';
}

/** Aligned sequences as values. */
export interface Alignment {
  /** What stands behind `>`, one for each sequence. */
  names: string[];
  /** Number of columns. */
  numSites: number;
  /** Number of letters of the alphabet. */
  numValues: number;
  /** The letters' places in the alphabet, `[sequences, numSites]` row-major. */
  values: Uint8Array<ArrayBuffer>;
}

const GAP = '-';

/**
 * Reads aligned sequences. Throws an `UnnormError` of code 'invalid-data' naming line and column,
 * both from 1, as an editor counts them.
 */
export function readFasta(bytes: Uint8Array, options: FastaOptions = {}): Alignment {
  const { alphabet = AMINO_ACIDS, unknown = 'gap' } = options;
  const places = valuesOf(alphabet);
  if (unknown !== 'gap' && unknown !== 'refuse') {
    throw invalidData('unknown', `must be 'gap' or 'refuse', got ${describe(unknown)}`);
  }
  const other = unknown === 'gap' ? places.get(GAP) : undefined;
  const text = textOf(bytes, 'a FASTA file');
  // No more values than there are characters.
  const values = new Uint8Array(text.length);
  const names: string[] = [];
  let [length, numSites, start, startLine] = [0, 0, 0, 0];
  const endSequence = () => {
    if (names.length === 0) return;
    const count = length - start;
    if (count === 0) {
      const words = `line ${startLine} begins a sequence without capital letters or gaps`;
      throw refused(`${words}; small letters are insertions, which are left out`);
    }
    if (names.length === 1) numSites = count;
    if (count !== numSites) {
      const words = `the sequence of line ${startLine} has ${count} columns where the first has ${numSites}`;
      throw refused(`${words}; give aligned sequences`);
    }
    start = length;
  };
  const lines = /([^\r\n]*)(\r\n|\r|\n|$)/y;
  for (let number = 1; lines.lastIndex < text.length; number++) {
    const line = (lines.exec(text)?.[1] ?? '').trimEnd();
    if (line.startsWith('>')) {
      endSequence();
      names.push(line.slice(1).trim());
      startLine = number;
      continue;
    }
    if (line === '') continue;
    if (names.length === 0) {
      throw refused(
        `line ${number} comes before any name; begin each sequence with a line '>name'`,
      );
    }
    for (let column = 0; column < line.length; column++) {
      const letter = line[column] as string;
      if (letter === '.' || (letter >= 'a' && letter <= 'z')) continue;
      const isLetter = letter === '*' || (letter >= 'A' && letter <= 'Z');
      const value = places.get(letter) ?? (isLetter ? other : undefined);
      if (value === undefined) {
        const shown = letter > ' ' ? `is '${letter}'` : 'is no letter';
        const words = `line ${number}, column ${column + 1} ${shown}`;
        throw refused(`${words}; the letters are ${alphabet}`);
      }
      values[length++] = value;
    }
  }
  endSequence();
  if (names.length === 0) throw refused("has no sequences; begin each with a line '>name'");
  if (length > MAX_ENTRIES) throw refused(`has more than ${MAX_ENTRIES} letters; split the file`);
  return { names, numSites, numValues: alphabet.length, values: values.slice(0, length) };
}

/** The value of each letter. */
function valuesOf(alphabet: string): Map<string, number> {
  if (typeof alphabet !== 'string' || alphabet.length < 2 || alphabet.length > 256) {
    throw invalidData('alphabet', `must have 2 to 256 letters, got ${describe(alphabet)}`);
  }
  const places = new Map<string, number>();
  for (const letter of alphabet.split('')) {
    if (!/^[A-Z*-]$/.test(letter) || places.has(letter)) {
      const words = `has ${describe(letter)}; give different capital letters, * and -`;
      throw invalidData('alphabet', words);
    }
    places.set(letter, places.size);
  }
  return places;
}

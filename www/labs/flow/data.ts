import { MOST_COUNT, SPINS } from './settings.js';

/**
 * Data of 2 to 6 spins. The first are those of the thesis's figure 2.2: data on all states but the one that the model
 * would favour. The others are rows of random spin glasses, rounded; some states have none, and couplings exist that
 * fit them.
 */
const EXAMPLES: Record<number, string> = {
  2: '00.1 01.3 11.2',
  3: '100.5 010.1 110.1 001.3 101.4 011.5 111.1',
  4: '0100.8 1100.1 1010.2 0110.1 1110.4 0001.7 1001.17 0101.3 1101.2 1011.14 1111.1',
  5: '10000.10 11000.1 00100.2 11010.1 00110.10 01110.4 00001.2 10001.30 11001.10 00101.11 10101.1 01101.1 11011.1 00111.6 01111.10',
  6: '010000.1 011000.1 010100.1 010010.1 001010.1 101010.8 011010.13 111010.1 000110.2 100110.2 010110.111 011110.10 100001.2 010001.1 101001.25 011001.7 111001.4 010101.5 010111.1',
};

/** Numbers of rows in each state, of which bit i is x_{i+1}. */
export type Counts = readonly number[];

export function exampleCounts(dim: number): Counts {
  return readCounts(EXAMPLES[dim] ?? '', dim) ?? [];
}

/** x₁ x₂ … of a state: 0110. */
export function nameOf(state: number, dim: number): string {
  return Array.from({ length: dim }, (_, i) => (state >> i) & 1).join('');
}

function stateOf(name: string): number {
  return [...name].reduce((state, bit, i) => state | (Number(bit) << i), 0);
}

/** Reads 0110.3, 0110:3 or 0110×3, and 0110 for one row, with spaces, commas or underscores between them; undefined where that is not so. */
export function readCounts(given: string, dim: number): Counts | undefined {
  const counts = Array<number>(2 ** dim).fill(0);
  for (const part of given.trim().split(/[\s,_]+/)) {
    const [, name = '', digits = '1'] = /^([01]+)(?:[.:×x](\d{1,3}))?$/.exec(part) ?? [];
    if (name.length !== dim) return undefined;
    counts[stateOf(name)] = Number(digits);
  }
  return counts.some((count) => count > 0) ? counts : undefined;
}

/** As a link has them, or with other marks, as they are read and typed. */
export function writeCounts(counts: Counts, [times, between] = ['.', '_']): string {
  const dim = Math.log2(counts.length);
  return statesIn(dim)
    .filter((state) => counts[state])
    .map((state) => `${nameOf(state, dim)}${times}${counts[state]}`)
    .join(between);
}

export function rowsOf(counts: Counts): number[][] {
  const dim = Math.log2(counts.length);
  return counts.flatMap((count, state) =>
    Array.from({ length: count }, () => Array.from({ length: dim }, (_, i) => (state >> i) & 1)),
  );
}

export function isCount(count: number): boolean {
  return Number.isInteger(count) && count >= 0 && count <= MOST_COUNT;
}

/** All states by the number of bits that are on, and among those of one number as they would be read. */
export function statesIn(dim: number): number[] {
  const all = Array.from({ length: 2 ** dim }, (_, state) => state);
  const key = (state: number) => [bitsOn(state), nameOf(state, dim)] as const;
  return all.sort((a, b) => {
    const [[onA, nameA], [onB, nameB]] = [key(a), key(b)];
    return onA - onB || (nameA < nameB ? 1 : -1);
  });
}

export function bitsOn(state: number): number {
  return Array.from({ length: SPINS.most }, (_, i) => (state >> i) & 1).reduce((a, b) => a + b, 0);
}

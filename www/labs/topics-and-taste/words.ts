import { NUM_VALUES } from '../../lib/taste-people.js';
import { NUM_BITS, NUM_THINGS, TASTES, THINGS, TITLES } from './catalogue.js';
import type { TasteModel, TopicModel } from './machine.js';

/** What machines have learned, for people. */

/** What a hidden unit of the machine of ratings wants. */
export interface Liking {
  unit: number;
  /** Things with the weight of 5 less that of 1, the most wanted first. */
  things: { thing: number; title: string; weight: number }[];
  /** The true taste that it is most like, and how much: a correlation, negative where it is the opposite. */
  nearest: { taste: string; correlation: number };
  strength: number;
}

/** Of every hidden unit, the strongest first. */
export function likingsOf({ weights, numHidden }: TasteModel): Liking[] {
  return Array.from({ length: numHidden }, (_, unit): Liking => {
    const wanted = Array.from({ length: NUM_THINGS }, (__, thing) => {
      const start = unit * NUM_BITS + thing * NUM_VALUES;
      return (weights[start + NUM_VALUES - 1] ?? 0) - (weights[start] ?? 0);
    });
    const things = wanted
      .map((weight, thing) => ({ thing, title: TITLES[thing] ?? '', weight }))
      .sort((one, other) => other.weight - one.weight);
    return { unit, things, nearest: nearestTaste(wanted), strength: Math.hypot(...wanted) };
  }).sort((one, other) => other.strength - one.strength);
}

function nearestTaste(wanted: readonly number[]): Liking['nearest'] {
  return TASTES.map((taste, n) => ({
    taste,
    correlation: correlationOf(
      wanted,
      THINGS.map((thing) => thing[n + 1] ?? 0),
    ),
  })).reduce((best, one) => (Math.abs(one.correlation) > Math.abs(best.correlation) ? one : best));
}

function correlationOf(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [one, other].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  }) as [number[], number[]];
  const norm = Math.hypot(...a) * Math.hypot(...b);
  return norm > 0 ? a.reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0) / norm : 0;
}

/**
 * The words that a topic raises most, the first first: by their weights times the square roots of their frequencies, or
 * rare words, of which little is known, would come first.
 */
export function strongestWords(
  { weights, numWords }: TopicModel,
  unit: number,
  num: number,
  shares: readonly number[],
) {
  const mine = weights.subarray(unit * numWords, (unit + 1) * numWords);
  const raised = mine.map((weight, word) => weight * Math.sqrt(shares[word] ?? 0));
  return [...mine.keys()]
    .sort((one, other) => (raised[other] ?? 0) - (raised[one] ?? 0))
    .slice(0, num)
    .map((word) => ({ word, weight: mine[word] ?? 0 }));
}

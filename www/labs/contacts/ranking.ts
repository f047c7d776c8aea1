import type { CouplingStrength } from 'unnorm';

/** Fewer sites apart along the chain, two are near anyway. */
export const LEAST_APART = 3;

/** A pair of sites that is told to be a contact; whether it is one, where that is known. */
export interface Told extends CouplingStrength {
  isContact: boolean | undefined;
}

/** A ranking of pairs held against the contacts. */
export interface Ranking {
  /** All pairs that are apart along the chain, the strongest first. */
  all: readonly CouplingStrength[];
  /** The strongest of them. */
  told: readonly Told[];
  /** Contacts that are not among them. */
  missed: readonly (readonly [i: number, j: number])[];
  /** Of the k strongest pairs the share that are contacts, for k = 1, 2, …; empty where contacts are not known. */
  precision: readonly number[];
}

/** Holds pairs, the strongest first, against the contacts: the first `count` of those that are apart along the chain. */
export function rankingOf(
  pairs: readonly CouplingStrength[],
  contacts: readonly (readonly [i: number, j: number])[] | undefined,
  count: number,
): Ranking {
  const known = contacts && new Set(contacts.map(keyOf));
  const apart = pairs.filter(({ i, j }) => j - i >= LEAST_APART);
  const told = apart
    .slice(0, count)
    .map((pair) => ({ ...pair, isContact: known?.has(keyOf([pair.i, pair.j])) }));
  const names = new Set(told.map(({ i, j }) => keyOf([i, j])));
  let numFound = 0;
  const precision = known
    ? apart.slice(0, 2 * known.size).map(({ i, j }, at) => {
        numFound += Number(known.has(keyOf([i, j])));
        return numFound / (at + 1);
      })
    : [];
  const missed = (contacts ?? []).filter((pair) => !names.has(keyOf(pair)));
  return { all: apart, told, missed, precision };
}

/** How many of the pairs that are told are contacts. */
export function numRight({ told }: Ranking): number {
  return told.filter(({ isContact }) => isContact).length;
}

function keyOf([i, j]: readonly [number, number]): string {
  return `${i}-${j}`;
}

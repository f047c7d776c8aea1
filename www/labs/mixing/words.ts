import type { ChainResult } from 'unnorm';
import { count, real } from '../../lib/format.js';
import { t } from '../../lib/language.js';

/** The states that the picture marks: the set of the bottleneck; of several closed classes, the first. */
export function markedSet(result: ChainResult | undefined): ReadonlySet<number> {
  if (!result) return new Set();
  if (result.numClosedClasses > 1) {
    const first = [...result.closedClass.keys()].filter((state) => result.closedClass[state] === 0);
    return new Set(first);
  }
  return new Set(result.conductance?.set ?? []);
}

/** What holds of a chain or does not, and what that means. */
export interface Flag {
  name: string;
  holds: boolean;
  meaning: string;
}

export function flagsOf(result: ChainResult): Flag[] {
  return [
    { name: t('irreducible'), holds: result.irreducible, meaning: reachOf(result) },
    { name: t('aperiodic'), holds: result.aperiodic, meaning: periodOf(result) },
    { name: t('reversible'), holds: result.reversible, meaning: balanceOf(result) },
  ];
}

function reachOf({ irreducible, numClosedClasses, closedClass }: ChainResult): string {
  if (irreducible)
    return t(
      'Each state can be reached from each other one, so there is one stationary distribution.',
    );
  if (numClosedClasses > 1) {
    return t(
      'There are {numClosedClasses} sets of states that are never left. Each has a stationary distribution of its own: where the chain ends depends on where it begins, so it never mixes. The π shown gives each set the same probability.',
      { numClosedClasses: count(numClosedClasses) },
    );
  }
  const numTransient = closedClass.filter((one) => one < 0).length;
  return t(
    '{numTransient} of the states {what} left for good sooner or later. One stationary distribution is left, which is 0 there.',
    { numTransient: count(numTransient), what: numTransient === 1 ? t('is') : t('are') },
  );
}

function periodOf({ aperiodic, periods }: ChainResult): string {
  if (aperiodic)
    return t('The ways back to a state have no common divisor, so the chain forgets the time.');
  const [period = 0] = periods.filter((one) => one > 1);
  return t(
    'All ways back to a state take a multiple of {period} steps: the states take turns, so the distribution after t steps has no limit, and the chain never mixes. To stay where it is now and then would mend that.',
    { period: count(period) },
  );
}

function balanceOf({ reversible, imbalance }: ChainResult): string {
  if (reversible) {
    return t(
      'As much flows from i to j as back (detailed balance): run backwards the chain looks the same, and its eigenvalues are real.',
    );
  }
  return t(
    'Somewhere more flows one way than back: the greatest |π(i) T(i, j) − π(j) T(j, i)| is {imbalance}. The chain goes round, and a film of it run backwards would look different. It may mix all the same.',
    { imbalance: real(imbalance, 4) },
  );
}

/** A number of steps, short also where it is large. */
export function stepsOf(num: number): string {
  return num < 1e6 ? count(num) : real(num, 4);
}

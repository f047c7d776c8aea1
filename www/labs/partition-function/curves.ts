import type { Estimated, LogZResult, RunReport } from 'unnorm';
import { histogramsOf } from '../../lib/histogram.js';
import type { Series } from '../../pictures/chart.js';
import type { Level } from './level.js';
import { LAST_K } from './settings.js';

export const FORWARD = '--series-1';
export const REVERSE = '--series-2';
export const BRIDGE = '--series-5';
export const INTEGRAL = '--series-4';
export const EXACT = '--series-6';

/** Forward, bridge and reverse of the same K stand beside each other by this factor, so that their bars are all seen. */
const ASIDE = 1.07;

/** Bins of a histogram of so many numbers. */
const binsFor = (count: number) => Math.round(Math.min(48, Math.max(12, 2 * Math.sqrt(count))));

interface Curves {
  x: number[];
  series: Series[];
}

/** log Z against K: forward and reverse estimates with their intervals, their bridge, and the bounds. */
export function sandwichOf(levels: readonly Level[], hasExactDraws: boolean): Curves {
  const x: number[] = [];
  const places = { forward: 0, bridge: 1, reverse: 2 } as const;
  for (const { K } of levels) x.push(K / ASIDE, K, K * ASIDE);
  const at = <T>(place: keyof typeof places, pick: (result: LogZResult) => T | undefined) => {
    const values = new Array<T | null>(x.length).fill(null);
    levels.forEach(({ result }, n) => {
      values[3 * n + places[place]] = pick(result) ?? null;
    });
    return values;
  };
  const estimates = (
    place: keyof typeof places,
    pick: (result: LogZResult) => Estimated | undefined,
  ) => ({
    values: at(place, (result) => pick(result)?.value),
    intervals: at(place, (result) => {
      const interval = pick(result)?.interval;
      return interval && ([interval.lower, interval.upper] as const);
    }),
  });
  const dash = [2, 4];
  return {
    x,
    series: [
      {
        name: 'forward',
        colour: FORWARD,
        disc: 'all',
        ...estimates('forward', ({ forward }) => forward.logZ),
      },
      {
        name: 'reverse',
        colour: REVERSE,
        disc: 'all',
        ...estimates('reverse', ({ reverse }) => reverse?.logZ),
      },
      { name: 'bridge', colour: BRIDGE, points: 8, ...estimates('bridge', ({ bridge }) => bridge) },
      {
        name: 'lower bound',
        colour: FORWARD,
        dash,
        width: 1.25,
        values: at('forward', ({ bounds }) => bounds.lower),
      },
      {
        name: hasExactDraws ? 'upper bound' : 'upper, not a bound',
        colour: REVERSE,
        dash,
        width: 1.25,
        values: at('reverse', ({ bounds }) => bounds.upper),
      },
    ],
  };
}

/** The part of the axis of log Z that holds the intervals of these levels, and the exact value. */
export function extentOf(
  levels: readonly Level[],
  exact: number | undefined,
): [number, number] | undefined {
  if (levels.length === 0) return undefined;
  const ends = levels.flatMap(({ result: { forward, reverse } }) =>
    [forward, reverse ?? forward].flatMap(({ logZ }) => [logZ.interval.lower, logZ.interval.upper]),
  );
  if (exact !== undefined) ends.push(exact);
  const finite = ends.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (!Number.isFinite(high - low)) return undefined;
  const room = Math.max(1e-6, 0.07 * (high - low));
  return [low - room, high + room];
}

/** The gap against K, of all chains together and of single ones. */
export function gapsOf(levels: readonly Level[]): Curves {
  return {
    x: levels.map(({ K }) => K),
    series: [
      {
        name: 'of the intervals',
        colour: BRIDGE,
        disc: 'all',
        values: levels.map(({ gap }) => positive(gap)),
      },
      {
        name: 'of single chains',
        colour: '--series-3',
        disc: 'all',
        values: levels.map(({ result: { forward, reverse } }) =>
          positive((reverse ?? forward).meanLogWeight - forward.meanLogWeight),
        ),
      },
    ],
  };
}

/** What the weights are worth against K, in independent draws. */
export function weightEssOf(levels: readonly Level[]): Curves {
  return {
    x: levels.map(({ K }) => K),
    series: both(({ weightEss }) => positive(weightEss)),
  };
  function both(pick: (run: RunReport) => number | null): Series[] {
    return [
      {
        name: 'forward',
        colour: FORWARD,
        disc: 'all',
        values: levels.map(({ result }) => pick(result.forward)),
      },
      {
        name: 'reverse',
        colour: REVERSE,
        disc: 'all',
        values: levels.map(({ result }) => (result.reverse ? pick(result.reverse) : null)),
      },
    ];
  }
}

/** What every chain alone makes of log Z, forward and in reverse, over the same bins. */
export function weightsOf(level: Level | undefined): Curves {
  const runs = level
    ? [level.result.forward, ...(level.result.reverse ? [level.result.reverse] : [])]
    : [];
  const { edges, densities } = histogramsOf(
    runs.map(({ logWeights }) => logWeights),
    binsFor(runs[0]?.logWeights.length ?? 0),
  );
  return { x: Array.from(edges), series: stepped([densities[0], densities[1]]) };
}

/** The variance of the log weights in bins of β, as it would be if all the way were like the bin. */
export function varianceOf(level: Level | undefined): Curves {
  return alongBeta(level, ({ variances }) =>
    Float64Array.from(variances, (variance) => variance * variances.length),
  );
}

/** Something of the runs at a level in bins of β. */
export function alongBeta(
  level: Level | undefined,
  pick: (run: RunReport) => ArrayLike<number>,
): Curves {
  const { forward, reverse } = level?.result ?? {};
  return {
    x: Array.from(forward?.betas ?? []),
    series: stepped([forward && pick(forward), reverse && pick(reverse)]),
  };
}

/** The part of the axis of K that there is from the start. */
export function rangeOfK(levels: readonly Level[]): [number, number] {
  const last = levels.at(-1)?.K ?? 0;
  return [12, Math.min(1.4 * LAST_K, Math.max(1400, 2.8 * last))];
}

/** Outlines of bins, down to 0 at their end. */
function stepped([forward, reverse]: readonly (ArrayLike<number> | undefined)[]): Series[] {
  const outline = (values: ArrayLike<number> | undefined) =>
    values ? [...Array.from(values), 0] : [];
  return [
    { name: 'forward', colour: FORWARD, stepped: true, values: outline(forward) },
    { name: 'reverse', colour: REVERSE, stepped: true, values: outline(reverse) },
  ];
}

/** For a logarithmic axis. */
function positive(value: number): number | null {
  return value > 0 ? value : null;
}

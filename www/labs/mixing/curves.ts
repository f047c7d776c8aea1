import { t as translate } from '../../lib/language.js';
import { logRange, type Series } from '../../pictures/chart.js';
import type { Mixing } from './mixing.svelte.js';

/** So many steps are computed one by one; of more, about so many. */
const MOST_SAMPLES = 300;

/** Below this the distance is rounding errors. */
const LEAST = 1e-12;

/** Curves of the distance against t. `shape` changes where a curve comes or goes. */
export interface Curves {
  x: readonly number[];
  series: readonly Series[];
  /** A distance is at most 1: bounds above that say nothing. */
  yRange: [number, number];
  shape: string;
}

export function curvesOf(lab: Mixing): Curves {
  const { result, horizon, bounds } = lab;
  const stride = Math.max(1, Math.round(horizon / MOST_SAMPLES));
  const even = Array.from({ length: Math.floor(horizon / stride) + 1 }, (_, n) => n * stride);
  const known = new Map<number, number>();
  result?.steps.forEach((step, n) => {
    if (step <= horizon) known.set(step, result.distances[n] ?? 0);
  });
  const x = [...new Set([...even, horizon, ...known.keys()])].sort((a, b) => a - b);
  const shown = (values: readonly (number | undefined)[]) =>
    values.map((value) => (value !== undefined && value > LEAST ? value : null));
  const series: Series[] = [];
  if (bounds) {
    const { eigenvalue, below, above } = bounds;
    const curve = (factor: number) => shown(x.map((t) => factor * eigenvalue ** t));
    series.push(
      {
        name: translate('bound by the gap'),
        colour: '--series-3',
        values: curve(above),
        dash: [5, 4],
        smooth: true,
      },
      {
        name: translate('and from below'),
        colour: '--series-3',
        values: curve(below),
        dash: [1.5, 3],
        smooth: true,
      },
    );
  }
  const distances = x.map((t) => lab.distanceAt(t));
  series.push({
    name: translate('begun in {start}', { start: lab.chain.names[lab.start] }),
    colour: '--series-1',
    values: shown(distances),
    smooth: true,
  });
  if (known.size > 0) {
    series.push({
      name: translate('worst start, d(t)'),
      colour: '--series-6',
      values: shown(x.map((t) => known.get(t))),
      points: 8,
    });
  }
  const shape = [
    series.length,
    lab.chain.names[lab.start],
    known.size > 0,
    result?.mixingTime,
  ].join();
  const values = series.flatMap((one) => one.values.filter((value) => value !== null));
  const yRange = logRange(values.length > 0 ? Math.min(0.2, ...values) : 1e-3, 1, [1e-3, 1]);
  return { x, series, yRange, shape };
}

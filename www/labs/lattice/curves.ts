import { t } from '../../lib/language.js';
import { CRITICAL_TEMPERATURE, energyPerSite, magnetization } from '../../lib/onsager.js';
import type { Series } from '../../pictures/chart.js';
import type { Point } from './point.js';
import { MAX_TEMPERATURE, MIN_TEMPERATURE, SAMPLERS } from './settings.js';

/** Distances from the transition that the curves are drawn at: close together where they are steep. */
const DISTANCES = Array.from({ length: 90 }, (_, n) => 2 * (n / 89) ** 4);

const GRID = [
  ...DISTANCES.map((distance) => CRITICAL_TEMPERATURE - distance),
  ...DISTANCES.slice(1).map((distance) => CRITICAL_TEMPERATURE + distance),
].filter((temperature) => temperature >= MIN_TEMPERATURE && temperature <= MAX_TEMPERATURE);

/** The columns of the charts over temperature: an entry of the grid, or a point that was measured. */
export interface Curves {
  x: number[];
  energy: Series[];
  magnetization: Series[];
  slowness: Series[];
}

/** The exact curves and the measured points over a common axis; `temperature` is one more place of the curves. */
export function curvesOf(points: readonly Point[], temperature: number): Curves {
  const places = [
    ...[...GRID, MIN_TEMPERATURE, MAX_TEMPERATURE, temperature].map((x) => ({
      x,
      point: undefined,
    })),
    ...points.map((point) => ({ x: point.temperature, point })),
  ].sort((a, b) => a.x - b.x);
  const exact = (name: string, value: (temperature: number) => number): Series => ({
    name,
    colour: '--series-6',
    smooth: true,
    values: places.map(({ x }) => value(x)),
  });
  const measured = (
    value: (point: Point) => number | null,
    error?: (point: Point) => number,
  ): Series[] =>
    SAMPLERS.map(({ id, name, colour }) => {
      const of = <T>(read: (point: Point) => T) =>
        places.map(({ point }) => (point?.sampler === id ? read(point) : null));
      return { name, colour, points: 8, values: of(value), ...(error && { errors: of(error) }) };
    });
  return {
    x: places.map(({ x }) => x),
    energy: [
      exact(t('Onsager 1944'), energyPerSite),
      ...measured(
        ({ energy }) => energy,
        ({ energyError }) => energyError,
      ),
    ],
    magnetization: [
      exact(t('Yang 1952'), magnetization),
      ...measured(
        ({ magnetization }) => magnetization,
        ({ magnetizationError }) => magnetizationError,
      ),
    ],
    slowness: measured(({ numDraws, ess }) => (ess > 0 ? numDraws / ess : null)),
  };
}

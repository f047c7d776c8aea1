import type { Field } from '../../lib/fields.js';
import {
  type Axes,
  axesOf,
  covarianceOf,
  type Gaussian,
  type Point,
} from '../../lib/gaussian-paths.js';
import { t } from '../../lib/language.js';

/** The two Gaussians that annealing goes from and to. */
export interface Ends {
  start: Gaussian;
  target: Gaussian;
}
export type EndName = keyof Ends;

/** The part of the plane that pictures show, and that means and standard deviations may lie in. */
export const WINDOW = { across: 20, up: 10 } as const;
const MEANS = { across: 14, up: 7 } as const;
const DEVIATIONS = { least: 0.2, most: 4 } as const;

export const END_NAMES: Record<EndName, string> = { start: t('Start'), target: t('Target') };

const round = (value: number, step: number) => Math.round(value / step) * step;
const decimal = (value: number, places: number) => Number(value.toFixed(places)) + 0;

/** A mean as near to the point as it may lie, in hundredths. */
export function meanNear([x, y]: Point): Point {
  const within = (value: number, most: number) => Math.max(-most, Math.min(most, value));
  return [decimal(within(x, MEANS.across), 2), decimal(within(y, MEANS.up), 2)];
}

/** Axes as near as they may be. */
export function axesNear({ first, second, angle }: Axes): Axes {
  const within = (value: number) => Math.max(DEVIATIONS.least, Math.min(DEVIATIONS.most, value));
  const turns = round(angle, 2 * Math.PI);
  return { first: within(first), second: within(second), angle: angle - turns };
}

/** The covariance of the axes, in ten-thousandths, so that it reads well. */
export function covarianceNear(axes: Axes): Gaussian['covariance'] {
  const [xx, xy, yy] = covarianceOf(axes);
  return [decimal(xx, 4), decimal(xy, 4), decimal(yy, 4)];
}

/** A Gaussian as text in the address: mean and covariance, `-10_0_1_-0.85_1`. */
export function gaussianField(initial: Gaussian): Field<Gaussian> {
  return {
    initial,
    expects: t('a mean and a covariance as this page writes them, x_y_xx_xy_yy'),
    parse: (text) => {
      const parts = text.split('_');
      const numbers = parts.map((part) =>
        /^-?\d{1,4}(\.\d{1,12})?$/.test(part) ? Number(part) : Number.NaN,
      );
      const [x = 0, y = 0, xx = 0, xy = 0, yy = 0] = numbers;
      const gaussian: Gaussian = { mean: [x, y], covariance: [xx, xy, yy] };
      const isSound = parts.length === 5 && !numbers.some(Number.isNaN) && isAllowed(gaussian);
      return isSound ? gaussian : undefined;
    },
    print: ({ mean, covariance }) => [...mean, ...covariance].join('_'),
  };
}

function isAllowed({ mean: [x, y], covariance: [xx, xy, yy] }: Gaussian): boolean {
  if (Math.abs(x) > MEANS.across || Math.abs(y) > MEANS.up) return false;
  if (!(xx > 0 && xx * yy > xy * xy)) return false;
  const { first, second } = axesOf([xx, xy, yy]);
  // A rounded covariance may lie a little outside.
  return second >= 0.9 * DEVIATIONS.least && first <= 1.1 * DEVIATIONS.most;
}

/** Pairs to begin with. */
export const PRESETS = {
  paper: {
    name: t('Far apart, as in the paper'),
    start: { mean: [-10, 0], covariance: [1, -0.85, 1] },
    target: { mean: [10, 0], covariance: [1, 0.85, 1] },
  },
  wide: {
    name: t('From wide to narrow'),
    start: { mean: [0, 0], covariance: [16, 0, 9] },
    target: { mean: [3, 2], covariance: [0.09, 0.03, 0.16] },
  },
  crossed: {
    name: t('Crossing'),
    start: { mean: [0, 0], covariance: [8, 7.6, 8] },
    target: { mean: [0, 0], covariance: [8, -7.6, 8] },
  },
  round: {
    name: t('Round, far apart'),
    start: { mean: [-8, 0], covariance: [1, 0, 1] },
    target: { mean: [8, 0], covariance: [1, 0, 1] },
  },
} as const satisfies Record<string, Ends & { name: string }>;
export type PresetId = keyof typeof PRESETS;
export const PRESET_IDS = Object.keys(PRESETS) as PresetId[];

/** The pair that these ends are, if they are one. */
export function presetOf({ start, target }: Ends): PresetId | undefined {
  const text = (ends: Ends) =>
    JSON.stringify([
      ends.start.mean,
      ends.start.covariance,
      ends.target.mean,
      ends.target.covariance,
    ]);
  return PRESET_IDS.find((id) => text(PRESETS[id]) === text({ start, target }));
}

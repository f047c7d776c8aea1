import {
  gradient,
  type Point,
  unwhiten,
  whitenedGradient,
} from '../../lib/badly-scaled-gaussian.js';
import type { Arrow } from './plane.js';

/** Divergences, in nats, whose contours are drawn. */
export const LEVELS = [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30] as const;

/** Points of a contour. They crowd where it bends, so it takes many. */
const NUM_POINTS = 720;

/** The contour of a divergence: a circle in φ, a thin ellipse in θ. */
export function contour(level: number, space: 'theta' | 'phi'): Point[] {
  const radius = Math.sqrt(2 * level);
  return Array.from({ length: NUM_POINTS + 1 }, (_, n): Point => {
    const angle = (2 * Math.PI * n) / NUM_POINTS;
    const phi: Point = [radius * Math.cos(angle), radius * Math.sin(angle)];
    return space === 'phi' ? phi : unwhiten(phi);
  });
}

/** Arrows on a grid, down the gradient; the longest is as long as the grid is wide. */
export function arrows(space: 'theta' | 'phi', reach: number, perSide: number): Arrow[] {
  const slope = space === 'phi' ? whitenedGradient : gradient;
  const pitch = (2 * reach) / perSide;
  const at = (n: number) => -reach + (n + 0.5) * pitch;
  const places = Array.from(
    { length: perSide * perSide },
    (_, n): Point => [at(n % perSide), at(Math.floor(n / perSide))],
  );
  const slopes = places.map(slope);
  const longest = Math.max(...slopes.map(([x, y]) => Math.hypot(x, y)));
  const scale = pitch / longest;
  return places.map(([x, y], n) => {
    const [down, across] = slopes[n] as Point;
    return { from: [x, y], to: [x - scale * down, y - scale * across] };
  });
}

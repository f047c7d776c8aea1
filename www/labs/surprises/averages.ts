import { DISTANCE, NUM_SEEN, normalCdf } from '../../lib/surprising-path.js';
import { REFERENCES, type ReferenceName } from './settings.js';

/** The geometric average of the reference and of one explanation, along one coordinate of x. */
export interface Average {
  mean: number;
  sd: number;
  /** Logarithm of its density, which is not normalized, at the mean. */
  logPeak: number;
  /** Logarithm of its integral over x > 0. */
  logMass: number;
}

const LOG_ROOT_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/** N(x; reference)^(1−β) N(x; 5z, 1)^β. */
export function averageOf(reference: ReferenceName, beta: number, z: 0 | 1): Average {
  const start = REFERENCES[reference];
  const end = DISTANCE * z;
  const precision = (1 - beta) / start.variance + beta;
  const mean = (((1 - beta) * start.mean) / start.variance + beta * end) / precision;
  const sd = 1 / Math.sqrt(precision);
  const fromStart =
    0.5 * Math.log(start.variance) + (0.5 * (mean - start.mean) ** 2) / start.variance;
  const logPeak = -LOG_ROOT_TWO_PI - (1 - beta) * fromStart - beta * 0.5 * (mean - end) ** 2;
  const logMass = logPeak + LOG_ROOT_TWO_PI + Math.log(sd) + Math.log(normalCdf(mean / sd));
  return { mean, sd, logPeak, logMass };
}

/** p_β(z = 1) along the path from either reference. */
export function shareOfOneFrom(reference: ReferenceName, beta: number): number {
  const [zero, one] = [averageOf(reference, beta, 0), averageOf(reference, beta, 1)];
  return 1 / (1 + Math.exp(NUM_SEEN * (zero.logMass - one.logMass)));
}

/** Points of a curve over β, evenly from 0 to 1. */
const NUM_STEPS = 1000;
export const BETAS = Array.from({ length: NUM_STEPS + 1 }, (_, n) => n / NUM_STEPS);

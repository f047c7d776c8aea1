import type { ProbabilityFlow } from '../../lib/probability-flow.js';

/** Relaxation times until which it is shown, and how small a part of the fastest flow out of data it begins with. */
const RELAXATION_TIMES = 6;
const FIRST = 0.05;

/** Time from the data until equilibrium: even at first, then logarithmic, with 0 at its beginning. */
export class TimeAxis {
  /** Below it the axis is even. */
  readonly least: number;
  readonly end: number;

  constructor({ start, rates, lambda2 }: ProbabilityFlow) {
    const size = start.length;
    const fastest = start.reduce(
      (most, p, state) => (p > 0 ? Math.max(most, -(rates[state * size + state] ?? 0)) : most),
      0,
    );
    this.least = FIRST / fastest;
    this.end = Math.max(100 * this.least, RELAXATION_TIMES / Math.max(-lambda2, 1e-12));
  }

  timeAt(share: number): number {
    return this.least * Math.expm1(share * Math.log1p(this.end / this.least));
  }

  shareOf(t: number): number {
    return Math.log1p(t / this.least) / Math.log1p(this.end / this.least);
  }

  /** Times for a curve on a logarithmic axis. */
  times(numTimes: number): number[] {
    const first = this.least / 5;
    const ratio = this.end / first;
    return Array.from({ length: numTimes }, (_, n) => first * ratio ** (n / (numTimes - 1)));
  }
}

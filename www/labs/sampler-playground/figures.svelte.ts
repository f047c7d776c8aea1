import { liveDiagnostics } from '../../lib/live-diagnostics.js';
import type { Density } from '../../lib/plane-density.js';
import type { Lane } from './lane.svelte.js';
import type { Sampler } from './samplers.js';
import type { LaneId } from './settings.js';

/** What the steps shown of one lane come to; NaN where it cannot be told yet. */
export interface Figures {
  numSteps: number;
  /** The smaller of x and y. */
  ess: number;
  /** The larger of x and y. */
  rhat: number;
  means: readonly [number, number];
  /** Part of chain 0's proposals that were accepted; with the whole result, mean chance of all chains. */
  acceptance: number;
  /** Seconds of computing for so many steps, warm-up included. */
  seconds: number;
  /** Gradients of all chains, warm-up included; only the whole result knows. */
  numGradients: number;
  /** Whether these are the engine's own figures, of the whole result. */
  isFinal: boolean;
}

/** Live figures, computed on the page; the engine's own where the whole result is shown. */
export function figuresOf(lane: Lane, numSteps: number): Figures {
  const { values, numChains, result } = lane;
  const seconds = lane.secondsAt(numSteps);
  if (result && numSteps === lane.numSteps) {
    const { summary, chains } = result;
    return {
      numSteps,
      ess: Math.min(...summary.essBulk),
      rhat: Math.max(...summary.rhat),
      means: [summary.mean[0] as number, summary.mean[1] as number],
      acceptance: chains.acceptance.reduce((sum, value) => sum + value, 0) / numChains,
      seconds,
      numGradients: chains.numGradients.reduce((sum, value) => sum + value, 0),
      isFinal: true,
    };
  }
  const [x, y] = [0, 1].map((entry) =>
    liveDiagnostics(values, { numDraws: numSteps, numChains, dim: 2, entry }),
  ) as [ReturnType<typeof liveDiagnostics>, ReturnType<typeof liveDiagnostics>];
  const trajectories = lane.trajectories.slice(0, numSteps);
  return {
    numSteps,
    ess: Math.min(x.ess, y.ess),
    // With one chain it says nothing.
    rhat: numChains > 1 ? Math.max(x.rhat, y.rhat) : Number.NaN,
    means: [x.mean, y.mean],
    acceptance: trajectories.filter(({ accepted }) => accepted).length / trajectories.length,
    seconds,
    numGradients: Number.NaN,
    isFinal: false,
  };
}

export type Verdict = 'passed' | 'failed' | 'not mixed' | 'biased' | 'cut off';

/** Part of the mass in the window's outermost cells from which on much of it may be outside. */
export const CUT_OFF = 1e-3;

/** R̂ from which on the moments of the draws say nothing yet. */
const MIXED = 1.05;
/** Standard errors allowed, and parts of a standard deviation and of a variance for the error of the grid. */
const ERRORS = 5;
const OF_SD = 0.01;
const OF_VARIANCE = 0.02;

/**
 * Compares means and variances of the later half of the draws, when the start is forgotten, with those of the density
 * over the window, which the engine's energies give without sampling.
 */
export function checkAgainst(density: Density, lane: Lane, sampler: Sampler): Verdict {
  if (density.edge > CUT_OFF) return 'cut off';
  const { values, numChains, numSteps } = lane;
  const firstDraw = Math.floor(numSteps / 2);
  const layout = { numDraws: numSteps - firstDraw, numChains, dim: 2 };
  const start = 2 * firstDraw * numChains;
  const isClose = (figures: ReturnType<typeof liveDiagnostics>, expected: number, slack: number) =>
    Math.abs(figures.mean - expected) <= ERRORS * Math.sqrt(figures.variance / figures.ess) + slack;
  // The squared distances from the true means, whose mean is the variance.
  const squares = Float64Array.from(
    values.subarray(start),
    (value, n) => (value - (density.means[n % 2] as number)) ** 2,
  );
  let agrees = true;
  for (const entry of [0, 1] as const) {
    const ofMean = liveDiagnostics(values, { ...layout, firstDraw, entry });
    const ofVariance = liveDiagnostics(squares, { ...layout, entry });
    const mixes = numChains === 1 || Math.max(ofMean.rhat, ofVariance.rhat) < MIXED;
    if (!mixes || !(ofMean.ess > 50) || !(ofVariance.ess > 50)) return 'not mixed';
    const sd = density.sds[entry];
    agrees &&= isClose(ofMean, density.means[entry], OF_SD * sd);
    agrees &&= isClose(ofVariance, sd * sd, OF_VARIANCE * sd * sd);
  }
  if (agrees) return 'passed';
  return sampler.kind === 'ula' ? 'biased' : 'failed';
}

/** The newest figures of every lane. Taken one lane at a time, so that no frame has to wait for all. */
export class FigureBoard {
  #figures = $state.raw<Partial<Record<LaneId, Figures>>>({});
  #next = 0;

  of(id: LaneId): Figures | undefined {
    return this.#figures[id];
  }

  clear(): void {
    this.#figures = {};
  }

  updateNext(lanes: readonly Lane[], numSteps: number): void {
    const lane = lanes[this.#next++ % Math.max(1, lanes.length)];
    if (lane) this.#update(lane, numSteps);
  }

  updateAll(lanes: readonly Lane[], numSteps: number): void {
    for (const lane of lanes) this.#update(lane, numSteps);
  }

  #update(lane: Lane, numSteps: number): void {
    const steps = Math.min(numSteps, lane.numAvailable);
    const figures = steps > 0 ? figuresOf(lane, steps) : undefined;
    this.#figures = { ...this.#figures, [lane.id]: figures };
  }
}

// Figure 6.3 of Sohl-Dickstein's thesis (2012), 6.1.3: Hamiltonian Monte Carlo
// with partial momentum refreshment, on the ring E = 100 ln²|x| (6.12). A
// rejection turns the momentum round, and the chain goes back where it came
// from. Turned round as rarely as equilibrium allows (6.11) it mixes faster:
// the autocovariance falls off sooner.
//
// As in the thesis: steps of ε = 0.1, one leapfrog step a proposal, half the
// momentum's power replaced in unit time, which is γ = 1 − 2^(−ε) a step, and
// 100,000 steps. Here 20 chains go each way, from exact draws; errors are the
// standard errors of means over chains. The thesis gives its figure as a
// picture without numbers, so that there are none to set beside ours.
//
// The autocovariance is of a coordinate, the mean of both, with the mean that
// symmetry gives, 0, and not the sample's: C(k) = ½ ⟨x(t) · x(t + k)⟩. On the
// ring |x| is about 1, so that C(0) is about ½; exactly, r² having the mean
// e^{3/100}, it is ½ e^{3/100}.

import { mkdir, writeFile } from 'node:fs/promises';
import { drawCurves } from './curves.mjs';
import { estimate } from './estimates.mjs';

export const name = 'hmc-flips';
export const about = 'mixing of HMC with fewer momentum flips, on a ring (thesis, figure 6.3)';
export const source = 'Sohl-Dickstein 2012, figure 6.3';

const STEP_SIZE = 0.1;
const NUM_CHAINS = 20;
/** Past this lag both autocovariances are below their errors. */
const MAX_LAG = 400;
const SHOWN_LAGS = [10, 20, 50, 100];
/**
 * In standard errors, what a difference must be above, and what must be equal within; by Student's t
 * with 38 and 19 degrees of freedom chance does either less than once in a million.
 */
const [DIFFERENT, EQUAL] = [6, 8];

export async function run({ unnorm, engine, quick, seed, log, out }) {
  const numDraws = quick ? 50_000 : 100_000;
  const [standard, reduced] = [
    await measure({ unnorm, engine, momentumFlips: 'standard', numDraws, seed }),
    await measure({ unnorm, engine, momentumFlips: 'reduced', numDraws, seed }),
  ];
  await mkdir(out, { recursive: true });
  const file = new URL('hmc-flips.png', out);
  await writeFile(file, figure(standard, reduced));
  log('hmc-flips.png: autocovariance by lag, standard flips in red, reduced in blue.');
  const rows = [
    { label: 'standard flips', measured: shown(standard), paper: {} },
    { label: 'reduced flips', measured: shown(reduced), paper: {} },
  ];
  return {
    rows,
    checks: checks(standard, reduced),
    settings: { numDraws, numChains: NUM_CHAINS, stepSize: STEP_SIZE },
    digests: [standard.digest, reduced.digest],
  };
}

async function measure({ unnorm, engine, momentumFlips, numDraws, seed }) {
  const { draws, chains, digest } = await engine.sample({
    model: { kind: 'ring' },
    transition: {
      kind: 'hmc',
      numLeapfrogSteps: 1,
      stepSize: STEP_SIZE,
      momentumRefresh: 1 - 2 ** -STEP_SIZE,
      momentumFlips,
    },
    numChains: NUM_CHAINS,
    // Exact draws with new momenta are in equilibrium.
    numWarmup: 0,
    numDraws,
    start: { kind: 'exact' },
    seed,
  });
  const found = unnorm.autocovariance(draws, MAX_LAG, { mean: 0 });
  const ofChains = Array.from({ length: NUM_CHAINS }, (_, chain) =>
    found.chains.subarray(chain * (MAX_LAG + 1), (chain + 1) * (MAX_LAG + 1)),
  );
  const each = (counts) => estimate([...counts].map((count) => count / numDraws));
  return {
    autocovariance: Array.from(found.mean, (mean, lag) => ({ mean, error: found.error[lag] })),
    integratedTime: estimate(ofChains.map(integratedTime)),
    rejections: estimate([...chains.acceptance].map((acceptance) => 1 - acceptance)),
    flips: each(chains.numFlipped),
    gradients: each(chains.numGradients),
    digest,
  };
}

/** 1 + 2 Σ C(k)/C(0): how many steps a draw is worth as much as an independent one. */
function integratedTime(values) {
  return values.reduce((sum, value) => sum + (2 * value) / values[0], -1);
}

function shown(result) {
  const pairs = {
    rejectionsPerStep: result.rejections,
    flipsPerStep: result.flips,
    gradientsPerStep: result.gradients,
    autocovariance0: result.autocovariance[0],
    ...Object.fromEntries(
      SHOWN_LAGS.map((lag) => [`autocovariance${lag}`, result.autocovariance[lag]]),
    ),
    integratedTime: result.integratedTime,
  };
  return Object.fromEntries(
    Object.entries(pairs).flatMap(([key, { mean, error }]) => [
      [key, mean],
      [`${key}Error`, error],
    ]),
  );
}

function figure(standard, reduced) {
  const curve = ({ autocovariance: estimates }, colour) => ({
    values: estimates.map(({ mean }) => mean),
    errors: estimates.map(({ error }) => error),
    colour,
  });
  return drawCurves({
    curves: [curve(standard, [200, 30, 30]), curve(reduced, [30, 70, 200])],
    x: standard.autocovariance.map((_, lag) => lag),
    xTicks: [0, 100, 200, 300, 400],
    yTicks: [-0.1, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
  });
}

/** How many standard errors of their difference the first is above the second. */
const above = (first, second) => (first.mean - second.mean) / Math.hypot(first.error, second.error);

function checks(standard, reduced) {
  const exact = { mean: Math.exp(3 / 100) / 2, error: 0 };
  const perGradient = ({ integratedTime: time, gradients }) => ({
    mean: time.mean * gradients.mean,
    error: Math.hypot(time.error * gradients.mean, time.mean * gradients.error),
  });
  return [
    {
      claim: `reducing the flips makes the autocovariance fall faster: it is lower after ${SHOWN_LAGS.join(', ')} steps, by more than ${DIFFERENT} standard errors each`,
      holds: SHOWN_LAGS.every(
        (lag) => above(standard.autocovariance[lag], reduced.autocovariance[lag]) > DIFFERENT,
      ),
    },
    {
      claim: `with reduced flips the integrated autocorrelation time is shorter, by more than ${DIFFERENT} standard errors`,
      holds: above(standard.integratedTime, reduced.integratedTime) > DIFFERENT,
    },
    {
      claim: `with reduced flips it is shorter also for each gradient, those of the trajectories backwards counted, by more than ${DIFFERENT} standard errors`,
      holds: above(perGradient(standard), perGradient(reduced)) > DIFFERENT,
    },
    {
      claim: 'momenta are turned round less than half as often',
      holds: reduced.flips.mean < standard.flips.mean / 2,
    },
    {
      claim: `standard flips are the rejections, within ${EQUAL} standard errors`,
      holds: Math.abs(above(standard.flips, standard.rejections)) < EQUAL,
    },
    {
      claim: `both have the exact distribution: ½ e^(3/100) at lag 0, within ${EQUAL} standard errors`,
      holds: [standard, reduced].every(
        (result) => Math.abs(above(result.autocovariance[0], exact)) < EQUAL,
      ),
    },
  ];
}

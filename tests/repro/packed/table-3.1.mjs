// Table 3.1 of Sohl-Dickstein's thesis (2012): how well and how fast the
// couplings of a 10×10 spin glass are recovered from 20,000 samples.
//
// The times of the paper are of
// 2011 hardware.
//
// Contrastive divergence goes down the parameters themselves, as in the thesis,
// with minibatches of 100 and a rate that falls linearly. The thesis gives 3.0
// to 0.1 for its own scaling; in ours, where a coupling is one parameter that
// stands in J twice, 3.0 and 1.0 end worse than they began or nearly so, and
// 0.1 to 0.003 was the best of those tried. It is stopped after a stated number
// of epochs and not at convergence, which the thesis reached after 20,000 s.
//
// With both converged pseudolikelihood has the lower error on these data, where
// the thesis has MPF ahead: those checks fail.
//
// The last row is not in the thesis: the same CD-1 in the whitened spins that
// L-BFGS uses here. Much of the gap to CD is the conditioning of 0/1
// parameters, and not CD: whoever cites the table should know.

import { sampledErrors } from './correlations.mjs';
import { meanSquareError, readGlass } from './glass.mjs';

export const name = 'table-3.1';
export const about = 'recovering the couplings of a 10×10 spin glass (thesis, table 3.1)';
export const source = 'Sohl-Dickstein 2012, table 3.1';

export const departures = [
  {
    of: 'variance of the couplings',
    paper: '10',
    ours: '2.5: at that scale the table’s errors come out. With one draw of variance 10 a pair, (E.11), J = ½J′ + ½J′ᵀ, comes to 10/4',
  },
  {
    of: 'contrastive divergence',
    paper: 'rates from 3.0 to 0.1, to convergence',
    ours: 'rates from 0.1 to 0.003, the best of those tried, 100 epochs of CD-1 and 20 of CD-10',
  },
  {
    of: 'coordinates of MPF and pseudolikelihood',
    paper: 'not said',
    ours: 'whitened spins; CD in them in the last row',
  },
];

/** The optima of the objectives on these data, found by independent programs. */
const OPTIMUM = { mpf: 46.4666791958, pseudolikelihood: 25.7468158481 };

const paper = (mseJ, mseCorrelations, seconds) => ({ mseJ, mseCorrelations, seconds });

const cd = (numSteps, numEpochs) => ({
  objective: { kind: 'contrastiveDivergence', numSteps },
  optimizer: {
    kind: 'sgd',
    coordinates: { kind: 'params' },
    learningRate: { start: 0.1, end: 0.003 },
    batchSize: 100,
    numEpochs,
  },
});

const whitenedCd = (numEpochs) => ({
  objective: { kind: 'contrastiveDivergence', numSteps: 1 },
  optimizer: { kind: 'sgd', learningRate: { start: 0.5, end: 0.01 }, numEpochs },
});

/** The rows: label, what the fit's spec says of the method, the paper's figures. */
const methods = (quick) => [
  ['MPF', { objective: { kind: 'mpf' } }, paper(0.0172, 0.0025, 60)],
  ['PL', { objective: { kind: 'pseudolikelihood' } }, paper(0.0582, 0.0036, 800)],
  ['MFT + TAP', { objective: { kind: 'meanField', order: 'tap' } }, paper(7.7704, 0.0983, 0.1)],
  ['CD-1', cd(1, quick ? 4 : 100), paper(0.3196, 0.0127, 20_000)],
  ['CD-10', cd(10, quick ? 1 : 20), paper(0.3341, 0.0123, 20_000)],
  ['CD-1, whitened spins', whitenedCd(quick ? 2 : 10), {}],
];

export async function run({ unnorm, engine, quick, seed, log }) {
  const glass = await readGlass(unnorm, 'spin-glass-10x10');
  const rows = [];
  const digests = [];
  for (const [label, method, figures] of methods(quick)) {
    const row = await measure({ engine, glass, method, quick, seed });
    rows.push({ label, measured: row.measured, paper: figures });
    digests.push(...row.digests);
    const { mseJ, mseCorrelations, seconds } = row.measured;
    log(
      `${label}: ${seconds.toFixed(2)} s, mse of J ${mseJ.toPrecision(3)}, of the correlations ${mseCorrelations.toPrecision(3)}`,
    );
  }
  return { rows, checks: checks(rows), digests };
}

async function measure({ engine, glass, method, quick, seed }) {
  const { dim } = glass;
  const started = performance.now();
  const fit = await engine.fit({
    model: { kind: 'ising', dim },
    data: glass.data,
    ...method,
    seed,
  });
  const seconds = (performance.now() - started) / 1000;
  const correlations = await sampledErrors({ engine, glass, model: fit.model, quick, seed });
  const { couplings } = fit.model;
  const measured = {
    mseJ: meanSquareError(couplings, glass.couplings, dim),
    mseJOffDiagonal: meanSquareError(couplings, glass.couplings, dim, (i, j) => i !== j),
    mseCorrelations: correlations.meanSquare,
    mseCorrelationsError: correlations.error,
    seconds,
    numEvaluations: fit.numEvaluations,
    ...(method.optimizer && { numEpochs: method.optimizer.numEpochs }),
    // Mean field has no objective.
    ...(Number.isNaN(fit.objective) || { objective: fit.objective }),
    converged: fit.converged,
    ...(fit.warnings.length > 0 && { warnings: fit.warnings.join('; ') }),
  };
  return { measured, digests: [fit.digest, correlations.digest] };
}

/** Claims of the table, tested on our numbers. */
function checks(rows) {
  const of = (label) => rows.find((row) => row.label === label).measured;
  const [mpf, pl, tap, cd1, cd10] = ['MPF', 'PL', 'MFT + TAP', 'CD-1', 'CD-10'].map(of);
  const reaches = ({ converged, objective }, optimum) =>
    converged && Math.abs(objective - optimum) < 1e-6 * optimum;
  const beats = (method, rival) =>
    method.mseJ < rival.mseJ / 3 && method.seconds < rival.seconds * (rival.mseJ / method.mseJ);
  const { mseJ, mseCorrelations } = rows[0].paper;
  return [
    {
      claim: 'MPF reaches the optimum of its convex objective, to a relative 1e-6',
      holds: reaches(mpf, OPTIMUM.mpf),
    },
    {
      claim: `MPF recovers the couplings with a mean square error near the ${mseJ} of the paper (within a tenth)`,
      holds: Math.abs(mpf.mseJ / mseJ - 1) < 0.1,
    },
    {
      claim: `the model fitted by MPF has the right correlations: mean square error at most the ${mseCorrelations} of the paper`,
      holds: mpf.mseCorrelations + 5 * mpf.mseCorrelationsError < mseCorrelations,
    },
    {
      claim: 'pseudolikelihood reaches the optimum of its convex objective, to a relative 1e-6',
      holds: reaches(pl, OPTIMUM.pseudolikelihood),
    },
    {
      claim:
        'MPF recovers the couplings substantially better than any other method: with less than half of pseudolikelihood’s mean square error',
      holds: mpf.mseJ < pl.mseJ / 2,
    },
    {
      claim:
        'MPF is dramatically faster to converge than pseudolikelihood: in less than a fifth of the seconds',
      holds: mpf.seconds < pl.seconds / 5,
    },
    {
      claim:
        'MPF and PL are far below CD-1 and CD-10: a third of the error or less, and less error times seconds',
      holds: [mpf, pl].every((method) => [cd1, cd10].every((rival) => beats(method, rival))),
    },
    {
      claim: 'TAP is the fastest and wrong: a hundred times the error of MPF in the couplings',
      holds:
        [mpf, pl, cd1, cd10].every(({ seconds }) => tap.seconds < seconds) &&
        tap.mseJ > 100 * mpf.mseJ,
    },
  ];
}

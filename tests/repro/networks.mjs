// Sparse networks of yes-or-no columns: does the verb `network` find the edges of a known one as well as the estimator
// that users of the R package IsingFit know (van Borkulo et al. 2014)? That is made here with scikit-learn (isingfit.py):
// an L1-penalized logistic regression for each site, its penalty chosen by extended BIC with γ = 0.25, and an edge where
// both regressions of a pair have it. `network` has one coupling a pair, one penalty for all, and the criterion of the
// networks that are refitted without it.
//
// Networks are random graphs with one and a half times as many edges as sites, log odds ratios of 0.5 to 1.5 with either
// sign, and log odds of −0.5 to 0.5 where half of a site's neighbours are on. Their rows are exact draws, so that nothing
// hangs on how long chains run.
//
// Sensitivity is the share of the true edges that are found, specificity the share of the other pairs that are not.
// Errors are the standard errors of means over networks, and those of differences are of paired ones. `area` is the
// area under the curve of sensitivity against specificity over all penalties. It says how well a method ranks the pairs,
// whichever penalty it chooses.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pythonWith } from '../../src/tools/python.mjs';
import { Failure } from '../../src/tools/run.mjs';
import { unpacked } from './bit-rows.mjs';
import { estimate, withError } from './packed/estimates.mjs';
import { uniforms } from './uniforms.mjs';

export const name = 'networks';
export const about = 'sparse networks of binary columns, against the estimator of IsingFit';
export const source = 'against van Borkulo et al. 2014';
export const departures = [
  {
    of: 'the estimator of the paper',
    paper: 'the R package IsingFit, with glmnet',
    ours: 'the same estimator with the logistic regressions of scikit-learn',
  },
  {
    of: 'networks',
    paper: 'random, scale-free and small-world graphs',
    ours: 'random graphs in which a site has three edges on average',
  },
];

const GAMMA = 0.25;
const NUM_ROWS = 1_000;
/** The Python of the reference, for `pythonWith`. */
export const REFERENCE = [['scikit-learn==1.7.2'], 'target/scikit-learn'];

/** Intervals of edges that are kept only where 0 is outside. */
const CONFIDENCE = 0.99;
/** The reference's conditions of a minimum, in nats a row, must hold within this. */
const VIOLATION = 1e-3;

const settings = (quick) =>
  quick ? { sizes: [20, 30, 40, 50], each: 1 } : { sizes: [20, 30, 40, 50, 60], each: 4 };

const pairsOf = (dim) =>
  Array.from({ length: dim }, (_, i) =>
    Array.from({ length: dim - 1 - i }, (_, k) => [i, i + 1 + k]),
  ).flat();

/** A random network, and for each pair whether it is an edge. */
function randomNetwork(dim, uniform) {
  const all = pairsOf(dim);
  const chosen = new Set();
  while (chosen.size < 1.5 * dim) chosen.add(Math.floor(all.length * uniform()));
  const isEdge = all.map((_, at) => chosen.has(at));
  const pairs = all.filter((_, at) => isEdge[at]);
  const couplings = pairs.map(() => (uniform() < 0.5 ? -0.5 : 0.5) * (0.5 + uniform()));
  // The log odds of site i are −(J_ii + 2 Σ_j J_ij x_j).
  const biases = Array.from({ length: dim }, () => uniform() - 0.5);
  pairs.forEach(([i, j], at) => {
    biases[i] -= couplings[at];
    biases[j] -= couplings[at];
  });
  const pattern = { kind: 'pairs', pairs };
  return { model: { kind: 'ising', dim, pattern, params: [...biases, ...couplings] }, isEdge };
}

const count = (flags) => flags.reduce((sum, flag) => sum + Number(flag), 0);

/** Sensitivity and specificity of found pairs, and how many there are. */
function quality(found, isEdge) {
  const numTrue = count(isEdge);
  const edges = count(found);
  const falseEdges = count(found.map((is, at) => is && !isEdge[at]));
  return {
    sensitivity: (edges - falseEdges) / numTrue,
    specificity: 1 - falseEdges / (isEdge.length - numTrue),
    edges,
    falseEdges,
  };
}

/** The true and false edges that are found at each penalty or a greater one, of pairs that enter at these penalties. */
function curve(entries, isEdge) {
  const penalties = [...new Set(entries)].sort((a, b) => b - a);
  const corners = penalties.map((penalty) => {
    const found = entries.map((entry) => entry >= penalty);
    const falseEdges = count(found.map((is, at) => is && !isEdge[at]));
    return { trueEdges: count(found) - falseEdges, falseEdges };
  });
  return [{ trueEdges: 0, falseEdges: 0 }, ...corners];
}

/** The area under the curve of sensitivity by 1 − specificity. */
function areaUnder(corners) {
  const { trueEdges, falseEdges } = corners.at(-1);
  const area = corners
    .slice(1)
    .reduce(
      (sum, to, at) =>
        sum +
        0.5 * (to.trueEdges + corners[at].trueEdges) * (to.falseEdges - corners[at].falseEdges),
      0,
    );
  return area / (trueEdges * falseEdges);
}

/** The sensitivity with a number of false edges; between corners, on the straight line. */
function sensitivityAt(corners, falseEdges) {
  const at = corners.findLastIndex((corner) => corner.falseEdges <= falseEdges);
  const [from, to] = [corners[at], corners[at + 1] ?? corners[at]];
  const width = to.falseEdges - from.falseEdges;
  const share = width > 0 ? (falseEdges - from.falseEdges) / width : 0;
  const trueEdges = from.trueEdges + share * (to.trueEdges - from.trueEdges);
  return trueEdges / corners.at(-1).trueEdges;
}

/** The greatest penalty at which each pair is an edge; 0 where there is none. */
function entriesOf({ penalties, path }, numPairs) {
  return Array.from({ length: numPairs }, (_, pair) => {
    const at = penalties.findIndex((_, row) => path.couplings[row * numPairs + pair] !== 0);
    return at < 0 ? 0 : penalties[at];
  });
}

/** What `network` finds, and in what time. */
async function ours({ engine, data, isEdge, objective, seed }) {
  const started = performance.now();
  const result = await engine.network({
    data,
    objective: { kind: objective },
    choice: { kind: 'ebic', gamma: GAMMA },
    confidence: CONFIDENCE,
    seed,
  });
  const seconds = (performance.now() - started) / 1000;
  const { dim, edges, digest } = result;
  const has = (found) => {
    const places = new Set(found.map(({ sites: [i, j] }) => i * dim + j));
    return pairsOf(dim).map(([i, j]) => places.has(i * dim + j));
  };
  const corners = curve(entriesOf(result, isEdge.length), isEdge);
  return {
    chosen: { ...quality(has(edges), isEdge), area: areaUnder(corners), seconds },
    certain: quality(has(edges.filter(({ lower, upper }) => lower > 0 || upper < 0)), isEdge),
    corners,
    digest,
  };
}

/** What the reference finds in the rows of each network. */
function references(rows) {
  const python = pythonWith(...REFERENCE);
  const script = fileURLToPath(new URL('isingfit.py', import.meta.url));
  const { status, stdout, error } = spawnSync(python, [script], {
    input: JSON.stringify({ gamma: GAMMA, networks: rows }),
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Failure(`isingfit.py failed${error ? `: ${error.message}` : ''}`);
  const found = JSON.parse(stdout);
  if (found.some(({ numAtEnd, violation }) => numAtEnd > 0 || violation > VIOLATION)) {
    throw new Failure('a regression of the reference is no minimum, or its last penalty is chosen');
  }
  return found;
}

export async function run({ engine, quick, seed, log }) {
  const { sizes, each } = settings(quick);
  const uniform = uniforms(seed);
  const methods = { pseudolikelihood: [], mpf: [] };
  const [truths, rows, digests] = [[], [], []];
  for (const dim of sizes) {
    for (let again = 0; again < each; again++) {
      const { model, isEdge } = randomNetwork(dim, uniform);
      const { draws, digest } = await engine.sample({
        model,
        transition: { kind: 'gibbs' },
        start: { kind: 'exact' },
        numChains: NUM_ROWS,
        numWarmup: 0,
        numDraws: 1,
        seed: seed + truths.length,
      });
      const data = { kind: 'bits', ...draws };
      digests.push(digest);
      for (const [objective, found] of Object.entries(methods)) {
        const one = await ours({ engine, data, isEdge, objective, seed });
        found.push(one);
        digests.push(one.digest);
      }
      truths.push(isEdge);
      rows.push(unpacked(draws).map((row) => row.join('')));
    }
    log(`${dim} sites: networks found; the reference is run on all of them at the end`);
  }
  const found = references(rows);
  const of = (key) => found.map((one, at) => quality(one[key], truths[at]));
  const reference = of('both').map((one, at) => {
    const { entries, seconds } = found[at];
    const sensitivityAtIts = one.sensitivity;
    return { ...one, sensitivityAtIts, area: areaUnder(curve(entries, truths[at])), seconds };
  });
  const results = {
    reference,
    'reference, either regression': of('either'),
    'reference, one penalty for all': of('shared'),
    'reference, one penalty for all, either regression': of('sharedEither'),
  };
  for (const [objective, each] of Object.entries(methods)) {
    results[objective] = each.map(({ chosen, corners }, at) => ({
      ...chosen,
      sensitivityAtIts: sensitivityAt(corners, reference[at].falseEdges),
    }));
    results[`${objective}, certain`] = each.map(({ certain }) => certain);
  }
  return {
    rows: Object.entries(results).flatMap(([label, each]) => {
      const row = { label, measured: means(each), paper: {} };
      if (each === reference) return [row];
      const measured = means(differences(each, reference));
      return [row, { label: `${label}, less the reference`, measured, paper: {} }];
    }),
    checks: checks(results),
    settings: {
      numNetworks: truths.length,
      numRows: NUM_ROWS,
      fewestSites: sizes[0],
      mostSites: sizes.at(-1),
      gamma: GAMMA,
      confidence: 100 * CONFIDENCE,
      violation: Math.max(...found.map(({ violation }) => violation)),
    },
    digests,
  };
}

/** The means over networks, with their errors. */
const means = (each) =>
  Object.assign(
    {},
    ...Object.keys(each[0]).map((key) =>
      withError(
        key,
        each.map((one) => one[key]),
      ),
    ),
  );

/** Of each network, what one is above another. */
const differences = (each, others) =>
  each.map((one, at) =>
    Object.fromEntries(Object.keys(one).map((key) => [key, one[key] - others[at][key]])),
  );

function checks(results) {
  const isNoLower = (label, key) => {
    const difference = differences(results[label], results.reference).map((one) => one[key]);
    const { mean, error } = estimate(difference);
    return mean >= -error;
  };
  const within = 'within the standard error of the paired difference';
  const names = { pseudolikelihood: 'pseudolikelihood', mpf: 'probability flow' };
  return [
    ...Object.entries(names).flatMap(([label, name]) => [
      {
        claim: `by ${name}, sensitivity is no lower than the reference's at the same γ, ${within}`,
        holds: isNoLower(label, 'sensitivity'),
      },
      {
        claim: `by ${name}, specificity is no lower than the reference's at the same γ, ${within}`,
        holds: isNoLower(label, 'specificity'),
      },
      {
        claim: `by ${name}, sensitivity at the reference's specificity is no lower, ${within}`,
        holds: isNoLower(label, 'sensitivityAtIts'),
      },
      {
        claim: `by ${name}, the area under the curve over all penalties is no lower, ${within}`,
        holds: isNoLower(label, 'area'),
      },
      {
        claim: `by ${name}, edges whose ${100 * CONFIDENCE} % interval leaves out 0 have sensitivity and specificity no lower than the reference's, ${within}`,
        holds: ['sensitivity', 'specificity'].every((key) => isNoLower(`${label}, certain`, key)),
      },
    ]),
  ];
}

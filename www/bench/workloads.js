/**
 * What the bench times, and what each kernel has to do at the least.
 *
 * ## Roofline: what one evaluation does
 *
 * Of an Ising model's flow, d = 100 sites, n = 20,000 rows, all pairs (`dense_flow.rs`): rows are
 * words of g groups of columns (here 11, of 7,700 patterns in all), sites are in t = 13 tiles of
 * eight.
 *
 * | | count | here |
 * |---|---|---|
 * | 64-byte look-ups, multiplied | t n g | 2.9 million |
 * | 64-byte additions to memory | t n g | 2.9 million |
 * | reciprocals | 8 t n | 2.1 million; pseudolikelihood twice as many |
 * | exponentials | 8 t d | 10 thousand |
 * | multiplications and additions of the tables | 8 t · entries | 0.8 million |
 * | bytes read in order: words, masks, weights | t n (4g + 9) | 14 MB |
 *
 * Two products of matrices, as NumPy does it, are 4d²n = 800 million multiplications and additions
 * and dn = 2 million exponentials.
 *
 * On a lattice the data are reduced once to how often each site shows each pattern with its
 * neighbours; an evaluation then has at most 2,592 exponentials, whatever n is.
 *
 * Of a restricted Boltzmann machine's flow (`models/rbm/flow.rs`), n rows, d sites, h hidden units:
 * 14 multiplications and additions and a quarter of a reciprocal a (row, site, unit), a square root
 * a (row, site), an exponential a (row, unit) and a weight. For 1,000 rows of 784 × 100: 1.1 billion,
 * 20 million, 0.8 million and 0.2 million; NumPy has 78 million exponentials and as many logarithms.
 *
 * A leapfrog step of HMC on a Gaussian of d dimensions has the d² multiplications and additions of
 * the precision's product, or d if it is diagonal, and 2d of kick and drift.
 *
 * A step of HAIS with as many experts as dimensions d has 2d² multiplications and additions and d
 * normal numbers, one after the other.
 *
 * The bound of a kernel is the longest of these counts over the rates of `limits.rs`, measured in
 * the same run, natively, in vectors of 128 bits, which is also what WebAssembly has.
 */

import { normals } from '../lib/random-models.js';
import { pegasus } from './pegasus.js';
import { posteriorWorkloads } from './posteriors.js';

const TILE = 8;

/** Patterns of a site and its neighbours, all sites of a 10 × 10 lattice together. */
const LATTICE_PATTERNS = 64 * 32 + 32 * 16 + 4 * 8;

/**
 * The engines that fit, in the order they take turns: natively as the compiler does it unasked, in vectors of 128 bits,
 * and for processors with AVX2, of 256; one worker unless they say so; threads are in one worker. Of two
 * engines each does all the work on one worker, both at once: what two workers could come to, if nothing were lost
 * between them.
 */
export const ENGINES = [
  'native',
  'avx2',
  'node',
  'node-2-workers',
  'node-2-engines',
  'chromium',
  'chromium-2-workers',
  'chromium-2-threads',
  'chromium-2-engines',
  'numpy',
];

/** Those that sample. */
const SAMPLERS = ['native', 'avx2', 'node', 'chromium', 'blackjax', 'numpyro'];

/** Those that memorize. */
const MEMORIZERS = ['native', 'avx2', 'node', 'chromium'];

/** The engines that are not ours. */
export const PEERS = ['numpy', 'blackjax', 'numpyro', 'nutpie', 'dwave', 'mcising'];

/** Those that share chains out as well. */
const SHARING = [...SAMPLERS, ...ENGINES.filter((engine) => engine.includes('-2-'))];

/** Those with one thread. */
const SINGLE = ['native', 'avx2', 'node', 'chromium', 'numpy'];

/** Those with one thread, for jobs of a few milliseconds: also in the module alone, without a worker and its messages. */
const BRIEF = [...SINGLE, 'node-module', 'chromium-module'];

/** Multiplications and additions in pairs, and the rest, of a dense sum over flips. */
function denseCounts(numRows, dim, { numGroups, numEntries }, divisionsEach) {
  const numTiles = Math.ceil(dim / TILE);
  const words = numTiles * numRows * numGroups;
  return {
    lookups: words,
    scatters: words,
    divisions: divisionsEach * TILE * numTiles * numRows,
    exps: TILE * numTiles * dim,
    multiplyAdds: TILE * numTiles * numEntries,
    bytes: numTiles * numRows * (4 * numGroups + 9),
  };
}

function rbmCounts(numRows, numVisible, numHidden) {
  const width = 8 * Math.ceil(numHidden / 8);
  const terms = numRows * numVisible * width;
  return {
    multiplyAdds: 7 * terms,
    divisions: terms / 4 + numRows * numVisible,
    exps: width * (numRows + numVisible),
  };
}

/** Weights of a machine that is neither trained nor symmetric: the same wherever they are made. */
function rbmModel(numVisible, numHidden) {
  const wave = (count, step, scale) =>
    Array.from({ length: count }, (_, i) => (Math.round(97 * i * step) % 41) * scale - 20 * scale);
  return {
    kind: 'rbm',
    numVisible,
    numHidden,
    weights: wave(numVisible * numHidden, 0.37, 0.01),
    visibleBias: wave(numVisible, 0.73, 0.02),
    hiddenBias: wave(numHidden, 0.59, 0.05),
  };
}

/**
 * @typedef {object} Workload
 * @property {string} name
 * @property {string} id
 * @property {'evaluate' | 'fit' | 'sample' | 'posterior' | 'logZ' | 'memorize'} kind
 * @property {string[]} engines those it is for, in the order of their turns
 * @property {{ data?: { file: string, dim: number, numRows: number } } & Record<string, unknown>} spec with the verb
 * @property {number} [gap]
 * @property {number} [numRounds] in which the engines take turns, if not the usual number
 * @property {number} [numLeapfrogSteps]
 * @property {number} [numUpdates] of single sites, in all chains together
 * @property {{ id: string, data: Record<string, unknown> }} [posterior] what peers write the energy from
 * @property {number} [numStored] how many patterns a memory has to store
 * @property {(groups: { numGroups: number, numEntries: number }) => Record<string, number> | Record<string, number>[]} [counts] what one evaluation does; of lists, one after another
 */

/**
 * The rows of the bench. `couplings`: those the glass was drawn from, which evaluations are made
 * at. Each has `kind` 'evaluate', 'fit', 'sample', 'posterior', 'logZ' or 'memorize'; a fit with `gap` is timed until the objective is
 * within that of its minimum, relative to it; a sample and an estimate
 * of log Z have the `numLeapfrogSteps` or `numUpdates` of all their chains, the latter another seed each round.
 *
 * @param {{ quick: boolean, couplings: Iterable<number> }} options
 * @returns {Workload[]}
 */
export function workloads({ quick, couplings }) {
  const dim = 100;
  const numRows = quick ? 2000 : 20_000;
  const numDigits = quick ? 16 : 1000;
  const data = { file: 'www/data/spin-glass-10x10.bits', dim, numRows };
  const digits = { file: 'www/data/mnist-binary-9000.bits', dim: 784, numRows: numDigits };
  const dense = { kind: 'ising', dim };
  const pattern = { kind: 'lattice', numRows: 10, numCols: 10, periodic: false };
  const lattice = { ...dense, pattern };
  const at = (model) => ({ ...model, couplings: [...couplings] });
  const mpf = { kind: 'mpf' };
  const fit = (model, objective, source) => ({
    verb: 'fit',
    model,
    objective,
    data: source,
    seed: 1,
  });
  const glass = `d = ${dim}, n = ${numRows}`;
  // Of few rows of the glass the fit is harder than of all: the small run fits another.
  const small = { file: 'tests/data/spin-glass-40-dense.bits', dim: 40, numRows };
  const fitted = quick ? small : data;
  const pairs = { kind: 'ising', dim: fitted.dim };
  const fittedGlass = `d = ${fitted.dim}, n = ${numRows}`;
  return [
    {
      name: `flow and gradient, ${glass}, all pairs`,
      id: 'dense',
      kind: 'evaluate',
      engines: SINGLE,
      spec: fit(at(dense), mpf, data),
      counts: (groups) => denseCounts(numRows, dim, groups, 1),
    },
    {
      name: `flow and gradient, ${glass}, lattice`,
      id: 'lattice',
      kind: 'evaluate',
      engines: SINGLE,
      spec: fit(at(lattice), mpf, data),
      counts: () => ({ exps: LATTICE_PATTERNS, multiplyAdds: 4 * LATTICE_PATTERNS }),
    },
    {
      name: `pseudolikelihood and gradient, ${glass}, all pairs`,
      id: 'pseudolikelihood',
      kind: 'evaluate',
      engines: SINGLE,
      spec: fit(at(dense), { kind: 'pseudolikelihood' }, data),
      counts: (groups) => denseCounts(numRows, dim, groups, 2),
    },
    {
      name: `flow and gradient of an RBM, 784 × 100, n = ${numDigits}`,
      id: 'rbm',
      kind: 'evaluate',
      engines: SINGLE,
      spec: fit(rbmModel(784, 100), mpf, digits),
      counts: () => rbmCounts(numDigits, 784, 100),
    },
    {
      name: `fit to 1e-6 of the minimum, ${fittedGlass}, all pairs`,
      id: 'fit-1e-6',
      kind: 'fit',
      gap: 1e-6,
      engines: ENGINES,
      spec: fit(pairs, mpf, fitted),
    },
    {
      name: `fit to the default tolerance, ${fittedGlass}, all pairs`,
      id: 'fit',
      kind: 'fit',
      engines: ENGINES,
      spec: fit(pairs, mpf, fitted),
    },
    {
      name: `fit to 1e-6 of the minimum, ${glass}, lattice`,
      id: 'fit-lattice',
      kind: 'fit',
      gap: 1e-6,
      engines: BRIEF,
      // The first ones run code that is not optimized yet.
      numRounds: quick ? 2 : 60,
      spec: fit(lattice, mpf, data),
    },
    ...samplingWorkloads(quick),
    ...posteriorWorkloads(quick),
    gibbsWorkload(quick),
    ...torusWorkloads(quick),
    ...annealingWorkloads(quick),
    memoryWorkload(quick),
  ];
}

/**
 * 80 fingerprints stored in 4,096 units, learned from copies with 30 % of the bits flipped, 800
 * copies a step: minutes, so that it has one round.
 */
function memoryWorkload(quick) {
  const dim = 4096;
  const numRows = quick ? 10 : 80;
  const numEpochs = quick ? 2 : 40;
  return {
    name: `${numRows} fingerprints in ${dim} units from noisy copies, ${numEpochs} steps`,
    id: 'fingerprints',
    kind: 'memorize',
    engines: MEMORIZERS,
    // Of 40 steps; fewer store none.
    numStored: quick ? 0 : numRows,
    spec: {
      verb: 'memorize',
      model: { kind: 'ising', dim },
      rule: { kind: 'mpf', optimizer: { kind: 'sgd', batchSize: 800, numEpochs } },
      noise: { numFlips: 1228, numCopies: 10 },
      data: { file: 'www/data/fingerprints-80.bits', dim, numRows },
      seed: 1,
    },
  };
}

/**
 * HMC of ten leapfrog steps a proposal, the step size given, on the targets of `sampling.rs`: one
 * chain and 200. Two draws are kept of each chain, so that the time is that of the steps.
 */
function samplingWorkloads(quick) {
  const dim = 100;
  const precision = (entry) =>
    Array.from({ length: dim * dim }, (_, at) => entry(Math.floor(at / dim), at % dim));
  const dense = precision((i, j) => (i === j ? 2 : 1 / dim));
  const diagonal = precision((i, j) => (i === j ? 1 + i / dim : 0));
  const gaussian = (entries) => ({ kind: 'gaussian', dim, precision: entries });
  const normal = normals(2);
  const filters = precision((i, j) => 0.05 * normal() + (i === j ? 1 : 0));
  const lambda = new Array(dim).fill(2.5);
  const experts = { kind: 'productOfExperts', dim, expert: 'studentT', filters, lambda };
  const thousand = quick ? 50 : 1000;
  // Of a leapfrog step: along the axes of a Gaussian; of experts two products, and a logarithm, about an
  // exponential, and a division each.
  const alongAxes = { multiplyAdds: 3 * dim };
  const ofExperts = { multiplyAdds: 2 * dim * (dim + 2), exps: dim, divisions: dim };
  // Steps of all chains, for one chain and for 200, in thousands; each takes ours some tenths of a second.
  const targets = [
    ['100-dim dense Gaussian', 'dense', gaussian(dense), 0.2, [400, 2000], alongAxes],
    ['100-dim diagonal Gaussian', 'diagonal', gaussian(diagonal), 0.2, [400, 2000], alongAxes],
    ["100 Student's t experts", 'experts', experts, 0.2, [40, 150], ofExperts],
    ['ring', 'ring', { kind: 'ring' }, 0.05, [4000, 8000], null],
  ];
  return targets.flatMap(([target, id, model, stepSize, thousands, countsOfStep]) =>
    [1, 200].map((numChains, which) => {
      const transition = { kind: 'hmc', numLeapfrogSteps: 10, stepSize };
      const numDraws = 2;
      const numLeapfrogSteps = thousands[which] * thousand;
      const numStepsPerDraw = Math.ceil(
        numLeapfrogSteps / (numChains * numDraws * transition.numLeapfrogSteps),
      );
      const chains = numChains === 1 ? '1 chain' : `${numChains} chains`;
      return {
        name: `HMC, ${target}, ${chains}`,
        id: `hmc-${id}-${numChains}`,
        kind: 'sample',
        engines: numChains > 1 ? SHARING : SAMPLERS,
        numLeapfrogSteps: numChains * numDraws * numStepsPerDraw * transition.numLeapfrogSteps,
        spec: {
          verb: 'sample',
          model,
          transition,
          numChains,
          numWarmup: 0,
          numDraws,
          numStepsPerDraw,
          start: { kind: 'exact' },
          seed: 1,
        },
        ...(countsOfStep !== null && {
          counts: () =>
            Object.fromEntries(
              Object.entries(countsOfStep).map(([what, count]) => [what, count * numLeapfrogSteps]),
            ),
        }),
      };
    }),
  );
}

/**
 * Gibbs sampling of a glass on the graph of D-Wave's processors: fields and couplings of spins are
 * normal with a standard deviation of a half. Two draws are kept of each chain, so that the time is
 * that of the sweeps.
 */
function gibbsWorkload(quick) {
  const { numSites, pairs } = pegasus(quick ? 4 : 14);
  const normal = normals(3);
  const spins = (count) => Array.from({ length: count }, () => 0.5 * normal());
  const [fields, couplings] = [spins(numSites), spins(pairs.length)];
  // E = Σ w s s + Σ h s, up to a constant: J_ij = 2 w_ij and J_ii = 2 h_i − 2 Σ_j w_ij.
  const biases = fields.map((field) => 2 * field);
  pairs.forEach(([i, j], at) => {
    biases[i] -= 2 * couplings[at];
    biases[j] -= 2 * couplings[at];
  });
  const numChains = 64;
  const numDraws = 2;
  const numStepsPerDraw = quick ? 5 : 50;
  return {
    name: `Gibbs, ${numSites} sites of Pegasus, ${pairs.length} couplings, ${numChains} chains`,
    id: 'gibbs-pegasus',
    kind: 'sample',
    engines: [
      ...SHARING.filter((engine) => !PEERS.includes(engine) && !engine.endsWith('-engines')),
      'dwave',
    ],
    numUpdates: numSites * numChains * numDraws * numStepsPerDraw,
    spec: {
      verb: 'sample',
      model: {
        kind: 'ising',
        dim: numSites,
        pattern: { kind: 'pairs', pairs },
        params: [...biases, ...couplings.map((coupling) => 2 * coupling)],
      },
      transition: { kind: 'gibbs' },
      numChains,
      numWarmup: 0,
      numDraws,
      numStepsPerDraw,
      moments: false,
      seed: 1,
    },
  };
}

/**
 * The checkerboard on tori above their critical temperatures, where half of the spins are up. Two draws are kept, so that the
 * time is that of the sweeps.
 */
function torusWorkloads(quick) {
  const lattice = (kind, numSides, side, coupling) => ({ kind, numSides, side, coupling });
  return [
    lattice('square', 2, 512, 0.4),
    lattice('triangular', 2, 512, 0.25),
    lattice('cubic', 3, 64, 0.2),
  ].map(({ kind, numSides, side, coupling }) => {
    const dim = side ** numSides;
    const sides = { numRows: side, numCols: side, ...(numSides === 3 && { numLayers: side }) };
    const numDraws = 2;
    const numStepsPerDraw = quick ? 50 : kind === 'square' ? 5000 : 1000;
    const size = Array(numSides).fill(side).join(' × ');
    return {
      name: `Gibbs, a ${kind} torus of ${size} spins by the checkerboard, one chain`,
      id: kind === 'square' ? 'torus' : `torus-${kind}`,
      kind: 'sample',
      engines: ['native', 'avx2', 'node', 'chromium', 'mcising'],
      numUpdates: dim * numDraws * numStepsPerDraw,
      spec: {
        verb: 'sample',
        model: {
          kind: 'ising',
          dim,
          pattern: { kind: kind === 'square' ? 'lattice' : kind, ...sides, periodic: true },
          uniform: { coupling },
        },
        transition: { kind: 'checkerboard' },
        numChains: 1,
        numWarmup: 0,
        numDraws,
        numStepsPerDraw,
        moments: false,
        seed: 1,
      },
    };
  });
}

/**
 * Hamiltonian annealed importance sampling as in the report of 2011: 36 dimensions, 200 particles,
 * 10,000 distributions, ε = 0.2; the filters the identity and a tenth of normal numbers.
 */
function annealingWorkloads(quick) {
  const dim = 36;
  // Of sums alone, and so the same bits on any machine.
  const normal = normals(1);
  const filters = Array.from(
    { length: dim * dim },
    (_, at) => 0.1 * normal() + (Math.floor(at / dim) === at % dim ? 1 : 0),
  );
  const experts = (expert, weight) => ({
    kind: 'productOfExperts',
    dim,
    expert,
    filters,
    lambda: new Array(dim).fill(weight),
  });
  // Λ = ΦΦᵀ.
  const precision = filters.map((_, at) => {
    const [i, j] = [Math.floor(at / dim) * dim, (at % dim) * dim];
    return filters.slice(0, dim).reduce((sum, _, k) => sum + filters[i + k] * filters[j + k], 0);
  });
  const stepSize = 0.2;
  const numChains = 200;
  const numDistributions = quick ? 500 : 10_000;
  const engines = [
    ...ENGINES.slice(0, 2),
    'native-2-threads',
    'avx2-2-threads',
    ...ENGINES.slice(2),
  ];
  return [
    ['Laplace experts', 'laplace', experts('laplace', 1)],
    ["Student's t experts", 'student', experts('studentT', 1.5)],
    ['Gaussian', 'gaussian', { kind: 'gaussian', dim, precision }],
  ].map(([target, id, model]) => ({
    counts: () => {
      const numNumbers = numChains * (numDistributions - 1) * dim;
      // Along the axes of a Gaussian there is no product.
      const perNumber = id === 'gaussian' ? 0 : 2 * dim;
      return [{ multiplyAdds: perNumber * numNumbers }, { normals: numNumbers }];
    },
    name: `HAIS, ${target}, M = ${dim}, ${numChains} particles, N = ${numDistributions}`,
    id: `hais-${id}`,
    kind: 'logZ',
    engines,
    // None at the last distribution.
    numLeapfrogSteps: numChains * (numDistributions - 1),
    spec: {
      verb: 'logZ',
      model,
      transition: {
        kind: 'hmc',
        numLeapfrogSteps: 1,
        stepSize,
        momentumRefresh: 1 - 2 ** -stepSize,
      },
      schedule: { kind: 'linear' },
      numChains,
      numDistributions,
    },
  }));
}

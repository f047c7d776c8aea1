// Ratings with gaps: a restricted Boltzmann machine with units of five values (Salakhutdinov, Mnih and Hinton 2007), on the
// ratings of made-up people that a known machine of this kind has made. Each has rated some of the things; does a machine that
// is fitted to these incomplete rows predict a rating that it has not seen as well as the machine that made it?

import { unpacked } from './bit-rows.mjs';
import { estimate, withError } from './packed/estimates.mjs';
import { uniforms } from './uniforms.mjs';

export const name = 'ratings';
export const about = 'ratings with gaps, by a machine with units of several values';
export const source = 'Salakhutdinov, Mnih and Hinton 2007';
export const departures = [
  {
    of: 'data',
    paper: '100 million ratings of 17,770 films by 480,189 people',
    ours: 'made-up ratings of a known machine, so that there is a truth to compare with',
  },
  {
    of: 'measure',
    paper: 'root mean squared error of the predicted mean',
    ours: 'nats of a held-out rating, which need no mean to be right, and the absolute error of the mean',
  },
];

const VALUES = 5;

const settings = (quick) =>
  quick
    ? { numSites: 15, numTastes: 2, numRows: 16_000, numTest: 1_000, numEpochs: 40 }
    : { numSites: 60, numTastes: 5, numRows: 20_000, numTest: 2_000, numEpochs: 60 };

/**
 * A thing is of one taste or of none, and people with that taste give it more stars, or fewer; half of the people have each. The
 * weights of a thing are such that its normalizer is the same with the taste and without: then the machine of the rated things alone
 * is the marginal distribution of the machine of all, and knows what there is to be known.
 */
function machine({ numSites, numTastes }, uniform) {
  const dim = numSites * VALUES;
  const weights = new Float64Array(numTastes * dim);
  const hiddenBias = new Float64Array(numTastes);
  const visibleBias = new Float64Array(dim);
  for (let site = 0; site < numSites; site++) {
    const best = 1 + 2.5 * uniform();
    const bits = Array.from({ length: VALUES }, (_, value) => site * VALUES + value);
    for (const [value, bit] of bits.entries()) visibleBias[bit] = -0.4 * (value - best) ** 2;
    const slope = uniform() < 0.6 ? 2 : -2;
    const own = bits.map((_, value) => slope * (value - 2));
    const sum = (numbers) => numbers.reduce((total, x) => total + Math.exp(x), 0);
    const bias = bits.map((bit) => visibleBias[bit]);
    const excess = Math.log(sum(own.map((weight, value) => bias[value] + weight)) / sum(bias));
    const taste = site % (numTastes + 1);
    if (taste === numTastes) continue;
    // To whole thousandths: logarithms may differ in their last bit from machine to machine.
    bits.forEach((bit, value) => {
      weights[taste * dim + bit] = Math.round(1000 * (own[value] - excess)) / 1000;
    });
  }
  const size = { numSites, numValues: VALUES, numHidden: numTastes };
  return { kind: 'categoricalRbm', ...size, weights, visibleBias, hiddenBias };
}

/** The rows with the ratings of these sites alone. */
function withSites(row, sites) {
  return row.map((value, bit) => (sites.includes(Math.floor(bit / VALUES)) ? value : 0));
}

/** Between 8 and 20 things, or half of them. */
function ratedBy(uniform, numSites) {
  const sites = Array.from({ length: numSites }, (_, site) => site);
  for (let n = numSites - 1; n > 0; n--) {
    const other = Math.floor(uniform() * (n + 1));
    [sites[n], sites[other]] = [sites[other], sites[n]];
  }
  return sites.slice(0, Math.min(8 + Math.floor(13 * uniform()), Math.floor(numSites / 2)));
}

export async function run({ engine, quick, seed, log }) {
  const size = settings(quick);
  const uniform = uniforms(seed);
  const truth = machine(size, uniform);
  const dim = size.numSites * VALUES;
  const { draws } = await engine.sample({
    model: truth,
    transition: { kind: 'blockGibbs' },
    start: { kind: 'exact' },
    numChains: size.numRows + size.numTest,
    numWarmup: 0,
    numDraws: 1,
    moments: false,
    seed,
  });
  const complete = unpacked(draws).map((row) => [...row]);
  const rated = complete.map(() => ratedBy(uniform, size.numSites));
  const train = complete.slice(0, size.numRows).map((row, n) => withSites(row, rated[n]));
  // Of each other person one rating is held out, and predicted from the rest.
  const test = complete.slice(size.numRows).map((row, n) => {
    const [heldOut, ...others] = rated[size.numRows + n];
    return {
      site: heldOut,
      given: withSites(row, others),
      value: row.slice(heldOut * VALUES, (heldOut + 1) * VALUES).indexOf(1),
    };
  });
  log(`${train.length} people with ${train.flat().filter((bit) => bit === 1).length} ratings`);
  const fit = await engine.fit({
    model: {
      kind: 'categoricalRbm',
      numSites: size.numSites,
      numValues: VALUES,
      numHidden: size.numTastes,
    },
    data: { kind: 'values', dim, values: Uint8Array.from(train.flat()) },
    objective: { kind: 'contrastiveDivergence', numSteps: 3 },
    init: { kind: 'dataMeans', scale: 0.1 },
    optimizer: { kind: 'adam', numEpochs: size.numEpochs, batchSize: 100, learningRate: 0.005 },
    regularizer: { kind: 'l2', strength: 0.0001 },
    seed,
  });
  log(`fitted by ${size.numEpochs} epochs`);
  // Frequencies alone: the same machine without hidden units that do anything. Each value once more than it was given.
  const counts = train.reduce(
    (sums, row) => sums.map((sum, bit) => sum + row[bit]),
    new Array(dim).fill(1),
  );
  const alone = {
    ...truth,
    weights: new Float64Array(truth.weights.length),
    hiddenBias: new Float64Array(size.numTastes),
    visibleBias: Float64Array.from(counts, Math.log),
  };
  const states = Float64Array.from(test.flatMap(({ given }) => given));
  const digests = [fit.digest];
  const predicted = async (model) => {
    const { conditionals, digest } = await engine.energies({ model, states, conditionals: true });
    // The frequencies' logarithms are the engine of JavaScript's own, and may differ in their last bit.
    if (model !== alone) digests.push(digest);
    return test.map(({ site, value }, n) => {
      const p = conditionals.subarray(n * dim + site * VALUES, n * dim + (site + 1) * VALUES);
      const mean = p.reduce((sum, probability, at) => sum + probability * at, 0);
      return { nats: -Math.log(p[value]), distance: Math.abs(mean - value) };
    });
  };
  const by = {
    truth: await predicted(truth),
    learned: await predicted(fit.model),
    alone: await predicted(alone),
  };
  const rows = [
    ['learned', 'the learned machine'],
    ['truth', 'the machine that made the ratings'],
    ['alone', 'frequencies alone'],
  ].map(([key, label]) => ({
    label,
    measured: {
      ...withError(
        'nats',
        by[key].map(({ nats }) => nats),
      ),
      ...withError(
        'distance',
        by[key].map(({ distance }) => distance),
      ),
    },
    paper: {},
  }));
  const gaps = (a, b, what) => by[a].map((own, n) => own[what] - by[b][n][what]);
  const gain = estimate(gaps('alone', 'learned', 'nats'));
  const closer = estimate(gaps('alone', 'learned', 'distance'));
  const lost = gaps('learned', 'truth', 'nats');
  const share = gain.mean / (gain.mean + estimate(lost).mean);
  rows.push({
    label: 'what is lost against the truth',
    measured: { ...withError('nats', lost), share },
    paper: {},
  });
  // ln p of whole rows, exactly, on the rows that were held out.
  const whole = Float64Array.from(complete.slice(size.numRows).flat());
  const logs = [];
  for (const model of [fit.model, truth]) {
    const { logProbabilities, digest } = await engine.energies({
      model,
      states: whole,
      logProbabilities: true,
    });
    digests.push(digest);
    logs.push(logProbabilities);
  }
  const lostOfRow = Array.from(logs[0], (learned, n) => (logs[1][n] - learned) / size.numSites);
  rows.push({
    label: 'complete rows, against the truth',
    measured: withError('natsPerRating', lostOfRow),
    paper: {},
  });
  // A conditional is a ratio of probabilities of rows with one more rating: the machine of the rated things is one machine.
  const [{ given, site }] = test;
  const withValue = Array.from({ length: VALUES }, (_, value) =>
    given.map((bit, at) => (at === site * VALUES + value ? 1 : bit)),
  );
  const one = await engine.energies({
    model: fit.model,
    states: Float64Array.from(withValue.flat()),
    logProbabilities: true,
    conditionals: true,
  });
  digests.push(one.digest);
  const weights = Array.from(one.logProbabilities, Math.exp);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const furthest = Math.max(
    ...weights.map((weight, value) =>
      Math.abs(weight / total - one.conditionals[site * VALUES + value]),
    ),
  );
  const checks = [
    {
      claim:
        'a machine fitted to rows with gaps predicts ratings it has not seen better than their frequencies do',
      holds: gain.mean > 5 * gain.error,
    },
    {
      claim:
        'a machine fitted to rows with gaps gains four fifths or more of what can be gained over frequencies',
      holds: share >= 0.8,
    },
    {
      claim: 'the mean it predicts is closer to the rating than that of the frequencies',
      holds: closer.mean > 5 * closer.error,
    },
    {
      claim: 'predictions are the ratios of the exact probabilities of rows with one more rating',
      holds: furthest < 1e-12,
    },
  ];
  return { rows, checks, digests };
}

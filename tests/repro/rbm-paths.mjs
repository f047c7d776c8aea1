// Section 5.2 of Grosse, Maddison and Salakhutdinov (2013), figure 3 and tables 1 and 2: log Z of restricted Boltzmann
// machines on handwritten digits, by annealing along geometric averages (GA) and along a spline through averages of the
// moments at nine knots (MAS), from even odds ("uniform") and from how often each pixel is ink ("base rate").
//
// Small machines: log Z is exact, and so are the target's moments and the gradients that find the knots, as in the paper.
// Large machines: moments are those of the digits, the paper's "MAS cheap". Their log Z is unknown: what the estimates tell
// is how far they agree.
//
// Other machines have another log Z: the paper's stands beside ours for its order of magnitude. What can be compared are
// errors, and the ESS as a part of the number of chains, `essShare`.

import { asData, DIGIT_BYTES, NUM_PIXELS, pixelMeans, readDigits } from './digits.mjs';

export const name = 'rbm-paths';
export const about = 'log Z of RBMs on digits along two paths (moment averaging, tables 1 and 2)';
export const source = 'Grosse, Maddison and Salakhutdinov 2013, section 5.2';

export const departures = [
  {
    of: 'small machines',
    paper: '20 hidden units, trained on 60,000 digits, 5,000 chains, K to 100,000',
    ours: '12 hidden units, 8,000 digits, 1,000 chains, K to 10,000; the paper’s figures are those of its greatest K',
  },
  {
    of: 'optimal binned schedules',
    paper: 'costs of the bins not said',
    ours: 'along averages of moments by equation 20, of the knots’ own costs; along geometric averages a pilot run estimates them',
  },
  {
    of: 'large machines',
    paper: '5,000 chains, K = 100,000, averages of moments also by 50,000 updates',
    ours: '100 chains, K = 1,000, averages of moments by the cheap scheme alone',
  },
  {
    of: 'significance',
    paper: 'bootstrap test at 0.05',
    ours: 'two bootstrap standard errors of the difference',
  },
];

const settings = (quick) =>
  quick
    ? {
        numHidden: 6,
        numTraining: 1000,
        numEpochs: 3,
        numChains: 100,
        perfect: [50],
        gibbs: [50],
        numSeeds: 1,
        large: null,
      }
    : {
        numHidden: 12,
        numTraining: 8000,
        numEpochs: 15,
        numChains: 1000,
        perfect: [100, 1000],
        gibbs: [100, 1000, 10_000],
        numSeeds: 3,
        large: {
          numHidden: 500,
          numTraining: 8000,
          numEpochs: 8,
          numChains: 100,
          numDistributions: 1000,
          knotUpdates: 1000,
          knotParticles: 100,
        },
      };

const TRAININGS = {
  PCD: { kind: 'persistentContrastiveDivergence', numChains: 100, numSteps: 1 },
  'CD-1': { kind: 'contrastiveDivergence', numSteps: 1 },
};

/** Tables 1 and 2, of 5,000 chains and K = 100,000: log Ẑ and ESS. */
const PAPER = {
  small: {
    'PCD, uniform, GA, linear': [177.99, 204],
    'PCD, uniform, GA, binned': [177.92, 142],
    'PCD, uniform, MAS, linear': [178.09, 289],
    'PCD, uniform, MAS, binned': [178.08, 934],
    'CD-1, uniform, GA, linear': [279.6, 248],
    'CD-1, uniform, GA, binned': [279.51, 124],
    'CD-1, uniform, MAS, linear': [279.59, 2686],
    'CD-1, uniform, MAS, binned': [279.6, 2619],
  },
  large: {
    'CD-1, uniform, GA': [341.53, 4],
    'CD-1, uniform, MAS cheap': [359.09, 3773],
    'CD-1, base rate, GA': [359.1, 4924],
    'CD-1, base rate, MAS cheap': [359.09, 2465],
    'PCD, uniform, GA': [417.91, 169],
    'PCD, uniform, MAS cheap': [418.33, 5],
    'PCD, base rate, GA': [418.2, 159],
    'PCD, base rate, MAS cheap': [418.25, 359],
  },
};
const PAPER_CHAINS = 5000;
const PAPER_EXACT = { PCD: 178.06, 'CD-1': 279.59 };
const BINS = 10;

export async function run({ engine, quick, seed, log }) {
  const set = settings(quick);
  const digits = await readDigits();
  const context = { engine, digits, seed, log, rows: [], digests: [], found: new Map() };
  for (const training of Object.keys(TRAININGS)) await smallMachine(context, training, set);
  const checks = smallChecks(context.found, set);
  if (set.large) {
    for (const training of Object.keys(TRAININGS)) await largeMachine(context, training, set.large);
    checks.push(...largeChecks(context.found, set.large));
  }
  return { settings: set, rows: context.rows, checks, digests: context.digests };
}

async function smallMachine(context, training, set) {
  const { engine, seed, rows, digests, log } = context;
  const { model } = await train(context, training, set);
  const exact = (await engine.exact({ model })).logZ;
  log(`${training}(${set.numHidden}): log Z ${exact}`);
  rows.push({
    label: `${training}, exact`,
    measured: { logZ: exact },
    paper: { logZ: PAPER_EXACT[training] },
  });
  const machine = { training, model, exact, numChains: set.numChains, paper: PAPER.small };
  for (const [start, reference] of references(context, set)) {
    const spline = async (moments, extra) => {
      const matching = { kind: 'exact' };
      const found = await engine.spline({
        model,
        reference,
        momentAverages: { moments, matching },
        ...extra,
        seed,
      });
      digests.push(found.digest);
      return found.path;
    };
    const paths = { GA: { kind: 'geometric' }, MAS: await spline({ kind: 'exact' }) };
    for (const [path, way] of Object.entries(paths)) {
      const base = { ...machine, start, path, reference, way };
      for (const K of set.perfect) await anneal(context, { ...base, K, moves: 'perfect' });
      for (const K of set.gibbs) await anneal(context, { ...base, K, moves: 'Gibbs' });
      if (start !== 'uniform') continue;
      for (const K of set.gibbs.slice(-2)) {
        await anneal(context, { ...base, K, moves: 'Gibbs', isBinned: true });
      }
      const K = middle(set.gibbs);
      for (let again = 1; again < set.numSeeds; again++) {
        await anneal(context, { ...base, K, moves: 'Gibbs', again });
      }
    }
    if (start === 'uniform') {
      const biased = await spline({ kind: 'data' }, { data: biasedDigits(context, set) });
      const K = middle(set.gibbs);
      const path = 'MAS of biased moments';
      await anneal(context, { ...machine, start, path, reference, way: biased, K, moves: 'Gibbs' });
    }
  }
}

async function largeMachine(context, training, set) {
  const { engine, seed, digests, log } = context;
  const { model, data } = await train(context, training, set);
  const machine = { training, model, exact: null, numChains: set.numChains, paper: PAPER.large };
  for (const [start, reference] of references(context, set)) {
    const { path: spline, digest } = await engine.spline({
      model,
      reference,
      momentAverages: {
        moments: { kind: 'data' },
        matching: {
          kind: 'persistent',
          numUpdates: set.knotUpdates,
          numParticles: set.knotParticles,
        },
      },
      data,
      seed,
    });
    digests.push(digest);
    log(`${training}(${set.numHidden}), ${start}: knots found`);
    const paths = { GA: { kind: 'geometric' }, 'MAS cheap': spline };
    for (const [path, way] of Object.entries(paths)) {
      const K = set.numDistributions;
      const titled = `${training}(${set.numHidden})`;
      const base = { ...machine, start, path, reference, way, K, moves: 'Gibbs' };
      await anneal(context, { ...base, titled });
    }
  }
}

/** A machine fitted to the first digits. */
async function train({ engine, digits, seed, digests }, training, set) {
  const data = asData(digits.slice(0, set.numTraining).bits);
  const shape = { kind: 'rbm', numVisible: NUM_PIXELS, numHidden: set.numHidden };
  const fit = await engine.fit({
    model: shape,
    data,
    objective: TRAININGS[training],
    optimizer: {
      kind: 'adam',
      learningRate: { start: 0.01, end: 0.001 },
      numEpochs: set.numEpochs,
    },
    init: { kind: 'dataMeans', scale: 0.01 },
    seed,
  });
  digests.push(fit.digest);
  return { model: { ...shape, ...fit.model }, data };
}

function references({ digits }, { numTraining }) {
  const means = pixelMeans(digits.slice(0, numTraining).bits);
  // No pixel is never or always ink: half a digit more of each.
  const logOdds = Array.from(means, (rate) =>
    Math.log((rate * numTraining + 0.5) / (numTraining - rate * numTraining + 0.5)),
  );
  return [
    ['uniform', { kind: 'uniform' }],
    ['base rate', { kind: 'independent', logOdds }],
  ];
}

/** The digits with each of class i i + 1 times (footnote 2). */
function biasedDigits({ digits }, { numTraining }) {
  const { bits, labels } = digits.slice(0, numTraining);
  const rows = [];
  labels.forEach((label, at) => {
    const row = bits.subarray(at * DIGIT_BYTES, (at + 1) * DIGIT_BYTES);
    for (let copy = 0; copy <= label; copy++) rows.push(...row);
  });
  return asData(Uint8Array.from(rows));
}

const middle = (numbers) => numbers[Math.floor(numbers.length / 2)];

/** Anneals once, and notes what comes of it. */
async function anneal(context, each) {
  const { engine, seed, rows, digests, found, log } = context;
  const { training, start, path, K, moves, isBinned = false, again = 0, exact, numChains } = each;
  const { forward, warnings, digest } = await engine.logZ({
    model: each.model,
    reference: each.reference,
    path: each.way,
    schedule: isBinned ? { kind: 'optimalBinned', numBins: BINS } : { kind: 'linear' },
    transition: { kind: moves === 'perfect' ? 'perfect' : 'blockGibbs' },
    numChains,
    numDistributions: K,
    seed: seed + again,
  });
  digests.push(digest);
  const schedule = isBinned ? 'binned' : 'linear';
  const label = each.titled
    ? `${each.titled}, ${start}, ${path}`
    : [
        training,
        start,
        path,
        schedule,
        moves,
        `K ${K}`,
        ...(again ? [`run ${again + 1}`] : []),
      ].join(', ');
  const one = {
    logZ: forward.logZ.value,
    standardError: forward.logZ.standardError,
    weightEss: forward.weightEss,
    weightEssError: forward.weightEssError,
    meanLogWeight: forward.meanLogWeight,
    meanLogWeightError: forward.meanLogWeightError,
    exact,
  };
  found.set(label, one);
  const key = each.titled
    ? `${training}, ${start}, ${path}`
    : `${training}, ${start}, ${path}, ${schedule}`;
  const paper = moves === 'Gibbs' && !again && each.paper[key];
  rows.push({
    label,
    measured: {
      logZ: one.logZ,
      logZError: one.standardError,
      ...(exact !== null && { error: one.logZ - exact }),
      meanLogWeight: one.meanLogWeight,
      weightEss: one.weightEss,
      weightEssError: one.weightEssError,
      essShare: one.weightEss / numChains,
      numWarnings: warnings.length,
    },
    paper: paper ? { logZ: paper[0], weightEss: paper[1], essShare: paper[1] / PAPER_CHAINS } : {},
  });
  log(
    `${label}: ${one.logZ.toFixed(2)}, ESS ${one.weightEss.toFixed(1)} ± ${one.weightEssError.toFixed(1)}`,
  );
}

/** By how many standard errors the ESS of one exceeds that of another. */
const essExcess = (a, b) =>
  (a.weightEss - b.weightEss) / Math.hypot(a.weightEssError, b.weightEssError);

function smallChecks(found, set) {
  const of = (...parts) => found.get(parts.join(', '));
  const error = (one) => one.logZ - one.exact;
  const trainings = Object.keys(TRAININGS);
  const [fewPerfect, K, largestK] = [set.perfect[0], middle(set.gibbs), set.gibbs.at(-1)];
  const perfect = (start) =>
    trainings.flatMap((training) =>
      ['GA', 'MAS'].map((path) =>
        of(training, start, path, 'linear', 'perfect', `K ${fewPerfect}`),
      ),
    );
  const runs = Array.from({ length: set.numSeeds }, (_, at) => (at ? [`run ${at + 1}`] : []));
  const gibbs = (training, path, ...rest) =>
    of(training, 'uniform', path, 'linear', 'Gibbs', ...rest);
  const averagesWin = (training) =>
    runs.every((again) => {
      const [ga, mas] = ['GA', 'MAS'].map((path) => gibbs(training, path, `K ${K}`, ...again));
      return essExcess(mas, ga) > 2;
    });
  const unchanged = trainings.every((training) => {
    const [mas, biased] = ['MAS', 'MAS of biased moments'].map((path) =>
      gibbs(training, path, `K ${K}`),
    );
    const change = (mas.logZ - biased.logZ) / Math.hypot(mas.standardError, biased.standardError);
    return Math.abs(change) < 3 && Math.abs(essExcess(mas, biased)) < 3;
  });
  const binnedAlike = trainings.every((training) =>
    ['GA', 'MAS'].every((path) => {
      const [linear, binned] = ['linear', 'binned'].map((schedule) =>
        of(training, 'uniform', path, schedule, 'Gibbs', `K ${largestK}`),
      );
      return Math.abs(linear.logZ - binned.logZ) < 0.5;
    }),
  );
  const all = [...found.values()];
  return [
    {
      claim: `with perfect transitions both paths are accurate with K = ${fewPerfect}: from base rates, within 1.5 nats`,
      holds: perfect('base rate').every((one) => Math.abs(error(one)) < 1.5),
    },
    {
      claim: `with perfect transitions both paths are accurate with K = ${fewPerfect}: from the uniform distribution, within 1.5 nats`,
      holds: perfect('uniform').every((one) => Math.abs(error(one)) < 1.5),
    },
    ...trainings.map((training) => ({
      claim: `${training}, from the uniform distribution, Gibbs transitions, K = ${K}, every run: averages of moments have the higher ESS`,
      source: `${source}, table 1`,
      holds: averagesWin(training),
    })),
    ...trainings.map((training) => ({
      claim: `${training}, from the uniform distribution, Gibbs transitions, K = ${largestK}: averages of moments have the higher ESS`,
      source: `${source}, table 1`,
      holds:
        essExcess(gibbs(training, 'MAS', `K ${largestK}`), gibbs(training, 'GA', `K ${largestK}`)) >
        2,
    })),
    {
      claim: `with Gibbs transitions averages of moments are accurate with fewer distributions: PCD, uniform, at each K the lesser error`,
      source: `${source}, figure 3`,
      holds: set.gibbs.every((each) => {
        const [ga, mas] = ['GA', 'MAS'].map((path) =>
          Math.abs(error(gibbs('PCD', path, `K ${each}`))),
        );
        return mas < ga;
      }),
    },
    {
      claim: 'highly biased moments change neither log Ẑ nor the ESS significantly',
      source: `${source}, footnote 2`,
      holds: unchanged,
    },
    {
      claim: `optimal binned schedules make little difference: with K = ${largestK} no estimate moves by half a nat`,
      holds: binnedAlike,
    },
    {
      claim: 'the mean of the log weights is nowhere above log Z, by more than six standard errors',
      source: 'Grosse, Maddison and Salakhutdinov 2013, section 2',
      holds: all.every((one) => one.meanLogWeight - one.exact < 6 * one.meanLogWeightError),
    },
  ];
}

function largeChecks(found, { numHidden }) {
  const of = (training, ...parts) => found.get([`${training}(${numHidden})`, ...parts].join(', '));
  const table = `${source}, table 2`;
  const spread = (ones) => {
    const all = ones.map(({ logZ }) => logZ);
    return Math.max(...all) - Math.min(...all);
  };
  const rest = (training) => [
    of(training, 'uniform', 'MAS cheap'),
    of(training, 'base rate', 'GA'),
    of(training, 'base rate', 'MAS cheap'),
  ];
  return [
    {
      claim:
        'CD-1, 500 units: the geometric path from the uniform distribution is 10 nats or more below the others',
      source: table,
      holds: rest('CD-1').every(({ logZ }) => logZ - of('CD-1', 'uniform', 'GA').logZ > 10),
    },
    {
      claim: 'CD-1, 500 units: the other three agree within a nat',
      source: table,
      holds: spread(rest('CD-1')) < 1,
    },
    {
      claim: 'PCD, 500 units: all four agree within a nat',
      source: table,
      holds: spread([of('PCD', 'uniform', 'GA'), ...rest('PCD')]) < 1,
    },
    {
      claim: 'CD-1, 500 units, base rates: the geometric path has the higher ESS',
      source: table,
      holds: essExcess(of('CD-1', 'base rate', 'GA'), of('CD-1', 'base rate', 'MAS cheap')) > 2,
    },
    {
      claim: 'PCD, 500 units, base rates: averages of moments have the higher ESS',
      source: table,
      holds: essExcess(of('PCD', 'base rate', 'MAS cheap'), of('PCD', 'base rate', 'GA')) > 2,
    },
    {
      claim: 'cheap averages of moments from base rates agree with the geometric path within a nat',
      source: table,
      holds: Object.keys(TRAININGS).every(
        (training) =>
          Math.abs(
            of(training, 'base rate', 'GA').logZ - of(training, 'base rate', 'MAS cheap').logZ,
          ) < 1,
      ),
    },
  ];
}

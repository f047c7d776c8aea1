// Section 5.2, tables 1 and 2 of Grosse, Maddison and Salakhutdinov (2013):
// log Z of restricted Boltzmann machines on handwritten digits, by annealing
// along geometric averages (GA) and along a spline through averages of the
// moments at nine knots (MAS), on linear schedules and on optimal binned ones,
// from even odds ("uniform") and from how often each pixel is ink ("base
// rate").
//
// The paper has machines of 20 and 500 hidden units trained on 60,000 digits,
// 5,000 chains and K = 100,000. Ours are trained on fewer digits and annealed
// with far fewer chains and distributions, told as numbers of the row
// "settings"; at the greatest sizes of the paper a run takes days here. Other
// machines have another log Z, so the paper's is beside ours for its order of
// magnitude, and errors and ESS are what can be compared. The ESS is that of
// weights, at most the number of chains; `essShare` is its part of that.
//
// With 20 hidden units log Z is exact, and so are the moments at the target, as in the
// paper. There the knots' parameters are found by exact gradients, too, of 2^20 states each: hours
// here, so that they are found by persistent chains, but in the small run. With 500 the
// moments are those of the digits, the paper's "MAS cheap". Log Z of that machine
// is not known: what its estimates tell is how far they agree.

import { asData, NUM_PIXELS, pixelMeans, readDigits } from './digits.mjs';

export const name = 'rbm-paths';
export const about = 'log Z of RBMs on digits along two paths (moment averaging, tables 1 and 2)';
export const source = 'Grosse, Maddison and Salakhutdinov 2013, tables 1 and 2';

const settings = (quick) =>
  quick
    ? {
        numHidden: 8,
        numTraining: 1000,
        numEpochs: 3,
        numChains: 40,
        numDistributions: 100,
        matching: { kind: 'exact' },
        large: null,
      }
    : {
        numHidden: 20,
        numTraining: 8000,
        numEpochs: 15,
        numChains: 200,
        numDistributions: 1000,
        matching: { kind: 'persistent', numUpdates: 1000, numParticles: 100 },
        large: {
          numHidden: 500,
          numTraining: 2000,
          numEpochs: 5,
          numChains: 32,
          numDistributions: 300,
          matching: { kind: 'persistent', numUpdates: 100, numParticles: 50 },
        },
      };

const TRAININGS = {
  PCD: (numChains) => ({ kind: 'persistentContrastiveDivergence', numChains, numSteps: 1 }),
  'CD-1': () => ({ kind: 'contrastiveDivergence', numSteps: 1 }),
};

/** Tables 1 and 2: log Ẑ and ESS, of 5,000 chains; table 1 has no base rates. */
const PAPER = {
  'PCD(20), uniform, GA, linear': [177.99, 204],
  'PCD(20), uniform, GA, optimalBinned': [177.92, 142],
  'PCD(20), uniform, MAS, linear': [178.09, 289],
  'PCD(20), uniform, MAS, optimalBinned': [178.08, 934],
  'CD-1(20), uniform, GA, linear': [279.6, 248],
  'CD-1(20), uniform, GA, optimalBinned': [279.51, 124],
  'CD-1(20), uniform, MAS, linear': [279.59, 2686],
  'CD-1(20), uniform, MAS, optimalBinned': [279.6, 2619],
  'PCD(500), uniform, GA, linear': [417.91, 169],
  'PCD(500), uniform, MAS cheap, linear': [418.33, 5],
  'PCD(500), base rate, GA, linear': [418.2, 159],
  'PCD(500), base rate, MAS cheap, linear': [418.25, 359],
};
const PAPER_CHAINS = 5000;
const PAPER_EXACT = { 'PCD(20)': 178.06, 'CD-1(20)': 279.59 };

export async function run({ engine, quick, seed, log }) {
  const set = settings(quick);
  const digits = await readDigits();
  const rows = [{ label: 'settings', measured: sizesOf(set), paper: {} }];
  if (set.large)
    rows.push({ label: 'settings, 500 units', measured: sizesOf(set.large), paper: {} });
  const found = [];
  const digests = [];
  const context = { engine, digits, seed, digests, found, rows, log };
  for (const training of Object.keys(TRAININGS)) {
    await machine({ ...context, training, set, isExact: true });
  }
  if (set.large) await machine({ ...context, training: 'PCD', set: set.large, isExact: false });
  return { rows, checks: checks(found), digests };
}

const sizesOf = ({ matching, large: _, ...sizes }) => ({
  ...sizes,
  matching: matching.kind,
  ...(matching.numUpdates && {
    knotUpdates: matching.numUpdates,
    knotParticles: matching.numParticles,
  }),
});

/** Trains one machine and estimates its log Z by all paths. */
async function machine({
  engine,
  digits,
  seed,
  digests,
  found,
  rows,
  log,
  training,
  set,
  isExact,
}) {
  const digitsOf = digits.slice(0, set.numTraining);
  const data = asData(digitsOf.bits);
  const title = `${training}(${set.numHidden})`;
  const fit = await engine.fit({
    model: { kind: 'rbm', numVisible: NUM_PIXELS, numHidden: set.numHidden },
    data,
    objective: TRAININGS[training](100),
    optimizer: {
      kind: 'adam',
      learningRate: { start: 0.01, end: 0.001 },
      numEpochs: set.numEpochs,
    },
    init: { kind: 'dataMeans', scale: 0.01 },
    seed,
  });
  const model = { kind: 'rbm', numVisible: NUM_PIXELS, numHidden: set.numHidden, ...fit.model };
  digests.push(fit.digest);
  const exact = isExact ? (await engine.exact({ model })).logZ : null;
  log(`${title}: log Z ${exact ?? 'unknown'}`);
  if (exact !== null) {
    const paper = PAPER_EXACT[title];
    rows.push({ label: title, measured: { logZ: exact }, paper: paper ? { logZ: paper } : {} });
  }
  // No pixel is never or always ink: half a digit more of each.
  const count = set.numTraining;
  const logOdds = Array.from(pixelMeans(digitsOf.bits), (rate) =>
    Math.log((rate * count + 0.5) / (count - rate * count + 0.5)),
  );
  const references = {
    uniform: { kind: 'uniform' },
    'base rate': { kind: 'independent', logOdds },
  };
  const schedules = isExact
    ? { linear: { kind: 'linear' }, optimalBinned: { kind: 'optimalBinned', numBins: 10 } }
    : { linear: { kind: 'linear' } };
  for (const [start, reference] of Object.entries(references)) {
    const spline = await engine.spline({
      model,
      reference,
      momentAverages: { moments: { kind: isExact ? 'exact' : 'data' }, matching: set.matching },
      ...(!isExact && { data }),
      seed,
    });
    digests.push(spline.digest);
    const paths = { GA: { kind: 'geometric' }, [isExact ? 'MAS' : 'MAS cheap']: spline.path };
    for (const [pathName, path] of Object.entries(paths)) {
      for (const [scheduleName, schedule] of Object.entries(schedules)) {
        const { forward, warnings, digest } = await engine.logZ({
          model,
          reference,
          path,
          schedule,
          transition: { kind: 'blockGibbs' },
          numChains: set.numChains,
          numDistributions: set.numDistributions,
          pilot: { numChains: 16, numDistributions: 100, numRuns: 1 },
          seed,
        });
        digests.push(digest);
        const label = `${title}, ${start}, ${pathName}, ${scheduleName}`;
        const each = {
          label,
          title,
          path: pathName,
          exact,
          logZ: forward.logZ.value,
          bootstrap: forward.bootstrap,
          deficit: exact === null ? null : exact - forward.meanLogWeight,
          deficitError: forward.meanLogWeightError,
          weightEss: forward.weightEss,
          numWarnings: warnings.length,
        };
        found.push(each);
        rows.push(rowOf(each, set));
        log(`${label}: ${each.logZ.toFixed(2)}, ESS ${each.weightEss.toFixed(1)}`);
      }
    }
  }
}

function rowOf({ label, exact, logZ, bootstrap, deficit, weightEss, numWarnings }, set) {
  const paper = PAPER[label];
  return {
    label,
    measured: {
      logZ,
      ...(exact !== null && { error: logZ - exact, meanLogWeightError: -deficit }),
      bootstrapLower: bootstrap.lower,
      bootstrapUpper: bootstrap.upper,
      weightEss,
      essShare: weightEss / set.numChains,
      numWarnings,
    },
    paper: paper ? { logZ: paper[0], weightEss: paper[1], essShare: paper[1] / PAPER_CHAINS } : {},
  };
}

function checks(found) {
  const tractable = found.filter(({ exact }) => exact !== null);
  return [
    {
      claim:
        'no path overestimates: with 20 hidden units or fewer Ẑ exceeds Z by a factor e^15 nowhere (by Markov’s inequality less than once in 3 million each)',
      holds: tractable.every(({ logZ, exact }) => logZ - exact < 15),
    },
    {
      claim: 'and the mean log weight is nowhere above log Z by more than six standard errors',
      holds: tractable.every(({ deficit, deficitError }) => deficit > -6 * deficitError),
    },
    {
      claim: 'for each machine some path comes within 1 nat of the exact log Z',
      holds: [...new Set(tractable.map(({ title }) => title))].every((title) =>
        tractable.some((each) => each.title === title && Math.abs(each.logZ - each.exact) < 1),
      ),
    },
  ];
}

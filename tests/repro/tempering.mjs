// Parallel tempering of bits where chains are held back by barriers: the lecture on energy-based models (Risteski 2021)
// shows that chains may take exponentially long between modes, and tempering is its remedy. On a strong spin glass, with
// log Z known by elimination, and on machines that know digits, whose modes are the digits.

import { readFile } from 'node:fs/promises';
import { asData, countClasses, DIGIT_BYTES, judge, pixelMeans, readDigits } from './digits.mjs';
import { mean } from './packed/estimates.mjs';

export const name = 'tempering';
export const about = 'spin glass and digits: tempering where chains are stuck (Risteski 2021)';
export const source = 'Risteski 2021, on mixing and tempering';
export const departures = [
  {
    of: 'models',
    paper: 'mixtures of two Gaussians',
    ours: 'a spin glass, and machines that know digits',
  },
  { of: 'figures', paper: 'none', ours: 'all' },
];

const settings = (quick) =>
  quick
    ? {
        glass: { numChains: 8, numRungs: 20, numDraws: 1500, numWarmup: 512, numSteps: 1 },
        alone: { numChains: 8, numDraws: 2000, numSteps: 20 },
        digits: {
          numTraining: 2000,
          numEpochs: 10,
          sizes: [20],
          sizesByCd: [],
          numChains: 4,
          numRungs: 12,
          numDraws: 300,
          numSteps: 5,
        },
      }
    : {
        glass: { numChains: 16, numRungs: 24, numDraws: 10_000, numWarmup: 2048, numSteps: 1 },
        alone: { numChains: 16, numDraws: 10_000, numSteps: 100 },
        digits: {
          numTraining: 8000,
          numEpochs: 30,
          sizes: [20, 100],
          sizesByCd: [20],
          numChains: 8,
          numRungs: 24,
          numDraws: 1000,
          numSteps: 10,
        },
      };

const PERSISTENT = { kind: 'persistentContrastiveDivergence', numChains: 100, numSteps: 1 };
const CD = { kind: 'contrastiveDivergence', numSteps: 1 };

const ERRORS = 3;
/** The sweeps for MANY effective draws on ladders are compared with those for FEW by Gibbs sampling alone. */
const MANY = 1000;
const FEW = 50;

/** The glass with couplings of variance 10, the thesis's letter. */
async function strongGlass({ readNpy }) {
  const read = (ending) =>
    readFile(new URL(`../data/spin-glass-10x10-strong.${ending}`, import.meta.url));
  const { dim, logZ } = JSON.parse(await read('json'));
  const { values } = await readNpy(await read('couplings.npy'));
  const pattern = { kind: 'lattice', numRows: 10, numCols: 10 };
  return { model: { kind: 'ising', dim, pattern, couplings: values }, logZ };
}

async function glass({ unnorm, engine, seed, log, rows, digests }, set, setAlone) {
  const { model, logZ } = await strongGlass(unnorm);
  const byElimination = await engine.exact({ model });
  const { numRungs, numSteps, ...run } = set;
  const { numSteps: numStepsAlone, ...alone } = setAlone;
  const transition = { kind: 'parallelTempering', numRungs, transition: { kind: 'gibbs' } };
  const common = { model, moments: false, energies: true, seed };
  const tempered = await engine.sample({
    ...common,
    ...run,
    numStepsPerDraw: numSteps,
    transition,
  });
  const gibbs = await engine.sample({
    ...common,
    ...alone,
    numStepsPerDraw: numStepsAlone,
    numWarmup: alone.numDraws,
    transition: { kind: 'gibbs' },
  });
  digests.push(byElimination.digest, tempered.digest, gibbs.digest);
  const { tempering } = tempered;
  // The states at the lowest rung are drawn, not swept.
  const sweeps = run.numChains * run.numDraws * numSteps * (numRungs - 1);
  const sweepsAlone = alone.numChains * alone.numDraws * numStepsAlone;
  const perDraw = sweeps / tempered.energySummary.essBulk;
  const perDrawAlone = sweepsAlone / gibbs.energySummary.essBulk;
  const distance = Math.abs(tempering.logZ - byElimination.logZ) / tempering.logZError;
  rows.push(
    {
      label: 'glass, log Z',
      measured: {
        exact: byElimination.logZ,
        tempered: tempering.logZ,
        temperedError: tempering.logZError,
        distance,
      },
      paper: {},
    },
    {
      label: 'glass, on ladders',
      measured: {
        barrier: tempering.barrier,
        roundTrips: mean(tempering.numRoundTrips),
        essBulk: tempered.energySummary.essBulk,
        rhat: tempered.energySummary.rhat,
        energy: tempered.energySummary.mean,
        energyError: tempered.energySummary.mcseMean,
        stepsPerDraw: perDraw / (numRungs - 1),
        stepsForMany: (MANY * perDraw) / (numRungs - 1),
        sweepsPerDraw: perDraw,
      },
      paper: {},
    },
    {
      label: 'glass, Gibbs alone',
      measured: {
        essBulk: gibbs.energySummary.essBulk,
        rhat: gibbs.energySummary.rhat,
        energy: gibbs.energySummary.mean,
        energyError: gibbs.energySummary.mcseMean,
        sweepsPerDraw: perDrawAlone,
        sweepsForFew: FEW * perDrawAlone,
      },
      paper: {},
    },
  );
  log(`glass: ${perDraw.toFixed(1)} sweeps a draw on ladders, ${perDrawAlone.toFixed(1)} alone`);
  return [
    {
      claim: 'the glass is the one whose log Z is known: elimination gives it again',
      holds: Math.abs(byElimination.logZ - logZ) < 1e-6,
    },
    {
      claim: `log Z of the glass by stepping stones is that by elimination, within ${ERRORS} standard errors`,
      holds: distance < ERRORS,
    },
    {
      claim: `${MANY} effective draws of the energy take fewer sweeps of the ladder’s highest rung than ${FEW} do by Gibbs sampling alone`,
      holds: (MANY * perDraw) / (numRungs - 1) < FEW * perDrawAlone,
    },
    {
      claim: 'with the sweeps of all rungs counted, an effective draw still takes fewer than alone',
      holds: perDraw < perDrawAlone,
    },
    {
      claim: 'replicas go up and down and back on every ladder of the glass',
      holds: tempering.warnings.length === 0,
    },
  ];
}

/** Classes of draws, `[numDraws][numChains]`. */
function classesOf({ draws: { bits, numRows } }, numChains, training) {
  const labels = judge(bits, training).map(({ label }) => label);
  return Array.from({ length: numRows / numChains }, (_, draw) =>
    labels.slice(draw * numChains, (draw + 1) * numChains),
  );
}

/** Of each chain: how many classes it visits, and how often it goes from one to another. */
function visits(classes, numChains) {
  return Array.from({ length: numChains }, (_, chain) => {
    const path = classes.map((draw) => draw[chain]);
    const hops = path.filter((label, at) => at > 0 && label !== path[at - 1]).length;
    return { numClasses: new Set(path).size, hops };
  });
}

async function digitsOf({ engine, seed, log, rows, digests, quick }, set) {
  const digits = await readDigits();
  const training = digits.slice(0, set.numTraining);
  const means = pixelMeans(training.bits);
  const logOdds = means.map((p) => {
    const kept = Math.min(Math.max(p, 0.001), 0.999);
    return Math.log(kept / (1 - kept));
  });
  // Chains alone start at one digit.
  const ones = [...training.labels.keys()].filter((row) => training.labels[row] === 1);
  const start = new Uint8Array(set.numChains * DIGIT_BYTES);
  for (let chain = 0; chain < set.numChains; chain++) {
    const row = ones[chain % ones.length];
    start.set(
      training.bits.subarray(row * DIGIT_BYTES, (row + 1) * DIGIT_BYTES),
      chain * DIGIT_BYTES,
    );
  }
  const checks = [];
  const machines = [
    ...set.sizes.map((numHidden) => ({ numHidden, objective: PERSISTENT, by: '' })),
    ...set.sizesByCd.map((numHidden) => ({ numHidden, objective: CD, by: ' by CD-1' })),
  ];
  for (const { numHidden, objective, by } of machines) {
    const label = `digits, ${numHidden} hidden${by}`;
    const { model, digest } = await engine.fit({
      model: { kind: 'rbm', numVisible: means.length, numHidden, visibleBias: logOdds },
      data: asData(training.bits),
      objective,
      optimizer: {
        kind: 'sgd',
        learningRate: { start: 0.1, end: 0.005 },
        batchSize: 100,
        numEpochs: set.numEpochs,
      },
      init: { kind: 'normal', scale: 0.01 },
      seed,
    });
    digests.push(digest);
    const common = {
      model,
      numChains: set.numChains,
      numDraws: set.numDraws,
      numStepsPerDraw: set.numSteps,
      moments: false,
      seed,
    };
    const alone = await engine.sample({
      ...common,
      numWarmup: 0,
      // The same work: a ladder sweeps all rungs but the lowest.
      numStepsPerDraw: set.numSteps * (set.numRungs - 1),
      transition: { kind: 'blockGibbs' },
      start: { kind: 'data', data: asData(start) },
    });
    const tempered = await engine.sample({
      ...common,
      numWarmup: 256,
      transition: {
        kind: 'parallelTempering',
        numRungs: set.numRungs,
        logOdds,
        transition: { kind: 'blockGibbs' },
      },
      start: { kind: 'data', data: asData(start) },
    });
    digests.push(alone.digest, tempered.digest);
    const of = (result) => {
      const classes = classesOf(result, set.numChains, training);
      const each = visits(classes, set.numChains);
      return {
        leastClasses: Math.min(...each.map(({ numClasses }) => numClasses)),
        numClasses: mean(each.map(({ numClasses }) => numClasses)),
        hops: mean(each.map(({ hops }) => hops)),
        counts: countClasses(classes.flat()).join(' '),
      };
    };
    const { tempering } = tempered;
    const [byGibbs, onLadders] = [of(alone), of(tempered)];
    // Chains that begin at ones, and do not leave them, make no histogram of the machine.
    rows.push(
      { label: `${label}, alone`, measured: byGibbs, paper: {} },
      {
        label: `${label}, on ladders`,
        measured: {
          ...onLadders,
          barrier: tempering.barrier,
          roundTrips: mean(tempering.numRoundTrips),
          logZ: tempering.logZ,
          logZError: tempering.logZError,
        },
        paper: {},
      },
    );
    log(`${label}: ${onLadders.numClasses} classes on ladders, ${byGibbs.numClasses} alone`);
    const machine = `the machine with ${numHidden} hidden units${by}`;
    if (objective === PERSISTENT) {
      checks.push({
        claim: `chains on ladders of ${machine} visit all ten digits, each of them`,
        holds: onLadders.leastClasses === 10,
      });
    }
    if (!quick) {
      checks.push({
        claim: `chains on ladders go from digit to digit more often than those of ${machine} do alone with the same work`,
        holds: onLadders.hops > byGibbs.hops,
      });
    }
    if (numHidden <= 20) {
      const { logZ, digest: ofExact } = await engine.exact({ model });
      digests.push(ofExact);
      const distance = Math.abs(tempering.logZ - logZ) / tempering.logZError;
      Object.assign(rows.at(-1).measured, { exact: logZ, distance });
      checks.push({
        claim: `log Z of ${machine} by stepping stones is exact within ${ERRORS} standard errors, or a warning says not to trust it`,
        holds: distance < ERRORS || tempering.warnings.length > 0,
      });
      if (objective === PERSISTENT) {
        checks.push({
          claim: `for ${machine} it is, without a warning`,
          holds: distance < ERRORS && tempering.warnings.length === 0,
        });
      }
    }
  }
  return checks;
}

export async function run({ unnorm, engine, quick, seed, log }) {
  const set = settings(quick);
  const context = { unnorm, engine, seed, log, quick, rows: [], digests: [] };
  const checks = [
    ...(await glass(context, set.glass, set.alone)),
    ...(await digitsOf(context, set.digits)),
  ];
  return { rows: context.rows, checks, digests: context.digests, settings: set };
}

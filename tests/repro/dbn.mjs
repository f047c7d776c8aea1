// Figure 3.3 of Sohl-Dickstein's thesis (2012, section 3.2): a deep belief
// network of four layers on handwritten digits, its machines fitted one after
// another by minimum probability flow and by CD-1. And beside it, what does make
// a network that draws digits, and why flow by single flips does not.
//
// The thesis gives pictures and no figures, nor the sizes of its layers. Ours
// have 784, 200, 200 and 200 units, and 8,000 digits where the thesis has
// 10,000. MPF and CD-1 have the same start, optimizer, minibatches and penalty.
// "MPF, L-BFGS" is nearer to the thesis: it has no penalty, starts at small
// random weights and takes all rows at each step. Its biases are learned, since
// no spec leaves them out. Persistent contrastive divergence (PCD) and persistent
// flow have settings of their own, the best of a few. Persistent flow takes all
// rows at each step too, and has a quarter of them here and smaller layers, which
// saves time.
//
// As in the thesis 1,000 sweeps of the top machine come before each draw; there
// are as many chains as allow for, and each draw is from a chain of its own or a
// thousand sweeps after the last.
//
// Measured are the seconds of the fit, and:
// - of the draws, by the votes of the five nearest training digits, which digits
//   they are, and how many of the 784 pixels the nearest training digit is away.
//   `classEntropyBits` is that of the ten counts. The thesis finds the digits of
//   CD-1 uneven and calls its model the less representative one;
// - a lower bound on the log likelihood of held-out digits (dbn-bound.mjs);
// - of the bottom machine by itself, how it predicts pixels of held-out digits
//   from the others, their log likelihood by annealing, and where its probability
//   is.
// In two more networks only the top machine, or only those below, are by flow.

import { mkdir, writeFile } from 'node:fs/promises';
import {
  fitNetwork,
  independentLoss,
  measureBottom,
  measureBound,
  measureDraws,
  replaceTop,
} from './dbn-networks.mjs';
import { countClasses, entropyBits, judge, pixelMeans, readDigits } from './digits.mjs';
import { bitSheet } from './packed/bit-sheet.mjs';
import { mean } from './packed/estimates.mjs';

export const name = 'dbn';
export const about = 'a deep belief network on digits, by MPF and by CD-1 (thesis, figure 3.3)';
export const source = 'Sohl-Dickstein 2012, figure 3.3';
export const departures = [
  { of: 'digits', paper: '10,000', ours: '8,000, and 1,000 held out' },
  { of: 'units of the layers', paper: 'not said', ours: '784, 200, 200, 200' },
  {
    of: 'training by MPF and CD-1',
    paper: 'L-BFGS, no biases',
    ours: 'Adam, biases, an L2 penalty, the same for both methods',
  },
  {
    of: 'MPF, L-BFGS',
    paper: 'no biases, iterations not said',
    ours: 'biases, 30 iterations a machine',
  },
  {
    of: 'persistent methods',
    paper: 'none here',
    ours: 'settings of their own, the best of a few; persistent MPF with 2,000 digits and layers of 60',
  },
  {
    of: 'judge of the draws',
    paper: 'the eye',
    ours: 'the five nearest training digits, by vote',
  },
];

/** What a check that is no claim of the thesis has for its place. */
const OURS = 'beyond the thesis';

/** Networks of two methods: that of the machines below, and that of the top one. */
const MIXED = [
  ['MPF', 'PCD'],
  ['PCD', 'MPF'],
];
const mixed = (below, top) => `${below}, with ${top} on top`;

const settings = (quick) => ({
  sizes: quick ? [784, 60, 60, 60] : [784, 200, 200, 200],
  numTraining: quick ? 2000 : 8000,
  numChains: quick ? 100 : 200,
  numSweeps: quick ? 200 : 1000,
  numDraws: quick ? 1 : 2,
  numAnnealed: quick ? 20 : 100,
  numDistributions: quick ? 100 : 1000,
  numWaysUp: quick ? 2 : 5,
});

/** Of each method the rest of the spec of its fit. */
function methods(quick) {
  const adam = (numEpochs, start, end) => ({
    optimizer: { kind: 'adam', learningRate: { start, end }, numEpochs },
  });
  const l2 = (strength) => ({ regularizer: { kind: 'l2', strength } });
  const init = { kind: 'dataMeans', scale: 0.01 };
  const flow = { objective: { kind: 'mpf', connectivity: { kind: 'singleFlips' } } };
  const shared = { ...adam(quick ? 10 : 15, 0.01, 0.0003), ...l2(0.001), init };
  return {
    MPF: { ...flow, ...shared },
    'MPF, L-BFGS': {
      ...flow,
      optimizer: { kind: 'lbfgs', maxIterations: quick ? 5 : 30 },
      init: { kind: 'normal', scale: 0.01 },
    },
    'CD-1': { objective: { kind: 'contrastiveDivergence', numSteps: 1 }, ...shared },
    PCD: {
      objective: { kind: 'persistentContrastiveDivergence', numChains: 100, numSteps: 5 },
      ...adam(quick ? 10 : 30, 0.005, 0.0001),
      ...l2(0.0001),
      init,
    },
    'persistent MPF': {
      objective: {
        kind: 'persistentMpf',
        numChains: quick ? 100 : 500,
        numSteps: 2,
        numRefreshes: quick ? 10 : 150,
      },
      optimizer: { kind: 'lbfgs', maxIterations: 2 },
      ...l2(0.0001),
      init,
    },
  };
}

/** What persistent flow, which takes all rows at each step, is content with. */
const smaller = (quick) => ({ sizes: [784, 60, 60, 60], numTraining: quick ? 500 : 2000 });

export async function run({ engine, quick, seed, log, out }) {
  const set = settings(quick);
  const digits = await readDigits();
  const training = digits.slice(0, set.numTraining);
  const heldOut = digits.slice(8000, quick ? 8400 : 9000);
  const judged = judge(heldOut.bits, training);
  const numRight = judged.filter(({ label }, at) => label === heldOut.labels[at]).length;
  const means = pixelMeans(training.bits);
  const data = {
    classifierAccuracy: numRight / judged.length,
    classEntropyBits: entropyBits(countClasses(judged.map(({ label }) => label))),
    nearestPixels: mean(judged.map(({ distance }) => distance)),
    farthestPixels: Math.max(...judged.map(({ distance }) => distance)),
    independentPixels: independentLoss(means, heldOut.bits),
    ink: means.reduce((sum, rate) => sum + rate),
  };
  log(`held-out digits: ${JSON.stringify(data)}`);
  const rows = [{ label: 'held-out digits', measured: data, paper: {} }];
  const digests = [];
  await mkdir(out, { recursive: true });
  const farPixels = data.farthestPixels;
  const common = { engine, sizes: set.sizes, heldOut, farPixels, set, seed };
  const note = async (label, network, parts) => {
    const { seconds, warnings } = network;
    const said = warnings.length > 0 ? warnings.join('; ') : 'nothing';
    const measured = Object.assign({ seconds, warnings: said }, ...parts.map((of) => of.measured));
    rows.push({ label, measured, paper: {} });
    digests.push(...[network, ...parts].flatMap((of) => of.digests));
    const file = new URL(`dbn-${label.toLowerCase().replaceAll(/\W+/g, '-')}.png`, out);
    const { sheet } = parts.find((of) => of.sheet);
    await writeFile(file, bitSheet(sheet, { side: 28, numColumns: 20 }));
    log(`${label}: ${JSON.stringify(measured)}`);
  };
  const known = methods(quick);
  const networks = new Map();
  for (const [label, method] of Object.entries(known)) {
    const { sizes, numTraining } = label === 'persistent MPF' ? smaller(quick) : set;
    const fitted = digits.slice(0, numTraining);
    const network = await fitNetwork({ ...common, sizes, method, training: fitted });
    networks.set(label, network);
    const of = { ...common, sizes, network, training };
    await note(label, network, [
      await measureDraws(of),
      await measureBottom(of),
      await measureBound(of),
    ]);
  }
  for (const [below, top] of MIXED) {
    const fitted = { ...common, network: networks.get(below), training };
    const network = await replaceTop({ ...fitted, method: known[top] });
    const of = { ...fitted, network };
    await note(mixed(below, top), network, [await measureDraws(of), await measureBound(of)]);
  }
  return { rows, checks: checks(rows), digests };
}

/** Claims of the section, tested on our numbers, and what else these say. */
function checks(rows) {
  const of = (label) => rows.find((row) => row.label === label).measured;
  const [digits, mpf, cd, pcd] = ['held-out digits', 'MPF', 'CD-1', 'PCD'].map(of);
  const [faithful, persistent] = ['MPF, L-BFGS', 'persistent MPF'].map(of);
  const singleFlips = [mpf, faithful];
  const [flowBelow, flowOnTop] = MIXED.map(([below, top]) => of(mixed(below, top)));
  return [
    {
      claim:
        'MPF learns a model of digits: of the nats a digit that independent pixels leave, its bottom machine explains more than a third from the other pixels',
      holds: mpf.pseudolikelihood < (2 / 3) * digits.independentPixels,
    },
    {
      claim:
        'a reasonable model of handwritten digits has been learned: no digit is missing from the draws after MPF',
      holds: mpf.leastCount > 0,
    },
    {
      claim:
        'with the same settings MPF predicts held-out pixels better than CD-1 (pseudolikelihood)',
      holds: mpf.pseudolikelihood < cd.pseudolikelihood,
    },
    {
      claim:
        'the draws after MPF are more evenly spread over the digits than those after CD-1: the entropy of their classes is higher',
      holds: mpf.classEntropyBits > cd.classEntropyBits,
    },
    {
      claim: 'persistent contrastive divergence: no digit is missing from the draws',
      source: OURS,
      holds: pcd.leastCount > 0,
    },
    {
      claim:
        'persistent contrastive divergence: the draws are more evenly spread over the digits than those after MPF, by either optimizer, and than those after CD-1',
      source: OURS,
      holds: [...singleFlips, cd].every((one) => one.classEntropyBits < pcd.classEntropyBits),
    },
    {
      claim:
        'persistent flow, of fewer digits: none is missing from the draws, and they are more evenly spread than those after flow by single flips',
      source: OURS,
      holds:
        persistent.leastCount > 0 &&
        singleFlips.every((one) => one.classEntropyBits < persistent.classEntropyBits),
    },
    {
      claim:
        'persistent contrastive divergence has a higher lower bound on the likelihood of held-out digits than flow by single flips, by either optimizer',
      source: OURS,
      holds: singleFlips.every((one) => one.lowerBound < pcd.lowerBound),
    },
    {
      claim:
        'what single flips do not see: by either optimizer flow gives a bottom machine that predicts held-out pixels from the others as well as that of persistent contrastive divergence, to a tenth, but that gives held-out digits a likelihood lower by more than 100 nats, since more than nine tenths of its probability are farther from all training digits than any held-out digit is',
      source: OURS,
      holds: singleFlips.every(
        (one) =>
          one.pseudolikelihood < 1.1 * pcd.pseudolikelihood &&
          one.logLikelihood < pcd.logLikelihood - 100 &&
          one.farShare > 0.9,
      ),
    },
    {
      claim:
        'of the probability of the bottom machine of persistent contrastive divergence less than a tenth is so far away',
      source: OURS,
      holds: pcd.farShare < 0.1,
    },
    {
      claim:
        'it is the top machine more than the layers below: on the very layers by flow one by persistent contrastive divergence draws every digit, and the entropy of their classes is higher by more than a bit',
      source: OURS,
      holds: flowBelow.leastCount > 0 && flowBelow.classEntropyBits > mpf.classEntropyBits + 1,
    },
    {
      claim:
        'on layers by persistent contrastive divergence a top machine by flow draws digits less evenly than one by persistent contrastive divergence',
      source: OURS,
      holds: flowOnTop.classEntropyBits < pcd.classEntropyBits,
    },
  ];
}

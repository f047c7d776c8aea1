// Figure 3.3 of Sohl-Dickstein's thesis (2012, section 3.2): a deep belief
// network of four layers on handwritten digits, its machines fitted one after
// another by minimum probability flow and by CD-1.
//
// The thesis gives pictures and no figures, nor the sizes of its layers. Ours
// have 784, 200, 200 and 200 units, and 8,000 digits where the thesis has
// 10,000. Both methods have the same start, optimizer, minibatches and penalty.
// As in the thesis 1,000 sweeps of the top machine come before each draw; there
// are as many chains as allow for, and each draw is from a chain of its own or a
// thousand sweeps after the last.
//
// Measured are the seconds of the fit; the pseudolikelihood of held-out digits
// under the bottom machine, in nats a digit; and of the draws, by the votes of
// the five nearest training digits, which digits they are, and how many of the
// 784 pixels the nearest training digit is away. `classEntropyBits` is that of
// the ten counts. The thesis finds the digits of CD-1 uneven and calls its model
// the less representative one.

import { mkdir, writeFile } from 'node:fs/promises';
import { bitSheet } from './bit-sheet.mjs';
import {
  asData,
  countClasses,
  DIGIT_BYTES,
  entropyBits,
  judge,
  pixelMeans,
  readDigits,
} from './digits.mjs';
import { mean } from './estimates.mjs';

export const name = 'dbn';
export const about = 'a deep belief network on digits, by MPF and by CD-1 (thesis, figure 3.3)';
export const source = 'Sohl-Dickstein 2012, figure 3.3';
export const departures = [
  { of: 'digits', paper: '10,000', ours: '8,000, and 1,000 held out' },
  { of: 'units of the layers', paper: 'not said', ours: '784, 200, 200, 200' },
  {
    of: 'training',
    paper: 'L-BFGS, no biases',
    ours: 'Adam, biases, an L2 penalty, the same for both methods',
  },
  {
    of: 'judge of the draws',
    paper: 'the eye',
    ours: 'the five nearest training digits, by vote',
  },
];

const methods = [
  ['MPF', { kind: 'mpf' }],
  ['CD-1', { kind: 'contrastiveDivergence', numSteps: 1 }],
];

const settings = (quick) => ({
  sizes: quick ? [784, 60, 60, 60] : [784, 200, 200, 200],
  numTraining: quick ? 2000 : 8000,
  numEpochs: quick ? 10 : 15,
  numChains: quick ? 100 : 200,
  numSweeps: quick ? 200 : 1000,
  numDraws: quick ? 1 : 2,
});

export async function run({ engine, quick, seed, log, out }) {
  const set = settings(quick);
  const digits = await readDigits();
  const training = digits.slice(0, set.numTraining);
  const heldOut = digits.slice(8000, quick ? 8400 : 9000);
  const judged = judge(heldOut.bits, training);
  const numRight = judged.filter(({ label }, at) => label === heldOut.labels[at]).length;
  const data = {
    classifierAccuracy: numRight / judged.length,
    classEntropyBits: entropyBits(countClasses(judged.map(({ label }) => label))),
    nearestPixels: mean(judged.map(({ distance }) => distance)),
    independentPixels: independentLoss(pixelMeans(training.bits), heldOut.bits),
  };
  log(`held-out digits: ${JSON.stringify(data)}`);
  const rows = [{ label: 'held-out digits', measured: data, paper: {} }];
  const digests = [];
  await mkdir(out, { recursive: true });
  for (const [label, objective] of methods) {
    const result = await measure({ engine, objective, training, heldOut, set, seed });
    rows.push({ label, measured: result.measured, paper: {} });
    digests.push(...result.digests);
    const file = new URL(`dbn-${label.toLowerCase()}.png`, out);
    await writeFile(file, bitSheet(result.sheet, { side: 28, numColumns: 20 }));
    log(`${label}: ${JSON.stringify(result.measured)}`);
  }
  return { rows, checks: checks(rows), digests };
}

async function measure({ engine, objective, training, heldOut, set, seed }) {
  const started = performance.now();
  const fit = await engine.fit({
    model: { kind: 'dbn', sizes: set.sizes },
    data: asData(training.bits),
    objective,
    optimizer: {
      kind: 'adam',
      learningRate: { start: 0.01, end: 0.0003 },
      numEpochs: set.numEpochs,
    },
    regularizer: { kind: 'l2', strength: 0.001 },
    init: { kind: 'dataMeans', scale: 0.01 },
    seed,
  });
  const seconds = (performance.now() - started) / 1000;
  const [numVisible, numHidden] = set.sizes;
  const bottom = { kind: 'rbm', numVisible, numHidden, ...fit.model.layers[0] };
  const held = await evaluate(engine, bottom, heldOut.bits);
  const trained = await evaluate(engine, bottom, training.bits.subarray(0, heldOut.bits.length));
  const fromDigits = { kind: 'data', data: asData(heldOut.bits) };
  const draws = await sample({ engine, model: fit.model, set, seed, start: fromDigits });
  const noise = await sample({ engine, model: fit.model, set, seed, start: { kind: 'random' } });
  const looks = judge(draws.draws.bits, training);
  const counts = countClasses(looks.map(({ label }) => label));
  const noiseCounts = countClasses(judge(noise.draws.bits, training).map(({ label }) => label));
  const measured = {
    seconds,
    pseudolikelihood: held.objective,
    pseudolikelihoodTraining: trained.objective,
    classCounts: counts.join(' '),
    classEntropyBits: entropyBits(counts),
    chiSquare: chiSquare(counts, countClasses(training.labels)),
    largestShare: Math.max(...counts) / looks.length,
    nearestPixels: mean(looks.map(({ distance }) => distance)),
    // The same from chains that start at coin tosses: apart from the above as far as
    // chains have not forgotten their start.
    classCountsFromNoise: noiseCounts.join(' '),
    classEntropyBitsFromNoise: entropyBits(noiseCounts),
  };
  return {
    measured,
    sheet: draws.draws.bits.subarray(0, 200 * DIGIT_BYTES),
    digests: [fit.digest, held.digest, draws.digest, noise.digest],
  };
}

/** Negative log pseudolikelihood of digits, in nats a digit. */
function evaluate(engine, model, bits) {
  return engine.fit({
    model,
    data: asData(bits),
    objective: { kind: 'pseudolikelihood' },
    optimizer: { kind: 'lbfgs', maxIterations: 0 },
    seed: 0,
  });
}

function sample({ engine, model, set, seed, start }) {
  return engine.sample({
    model,
    transition: { kind: 'blockGibbs' },
    numChains: set.numChains,
    numWarmup: 0,
    numDraws: set.numDraws,
    numStepsPerDraw: set.numSweeps,
    start,
    seed,
  });
}

/** −Σ ln p of held-out pixels under independent ones, in nats a digit. */
function independentLoss(means, bits) {
  const numRows = bits.length / DIGIT_BYTES;
  let loss = 0;
  pixelMeans(bits).forEach((held, at) => {
    const p = Math.min(Math.max(means[at], 0.5 / numRows), 1 - 0.5 / numRows);
    loss -= held * Math.log(p) + (1 - held) * Math.log(1 - p);
  });
  return loss;
}

/** χ² of counts against the shares of the training digits, nine degrees of freedom. */
function chiSquare(counts, trainingCounts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const numTraining = trainingCounts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((sum, count, label) => {
    const expected = (total * trainingCounts[label]) / numTraining;
    return sum + (count - expected) ** 2 / expected;
  }, 0);
}

/** Claims of the section, tested on our numbers. */
function checks(rows) {
  const of = (label) => rows.find((row) => row.label === label).measured;
  const [digits, mpf, cd] = ['held-out digits', 'MPF', 'CD-1'].map(of);
  return [
    {
      claim:
        'MPF learns a model of digits: of the nats a digit that independent pixels leave, its bottom machine explains more than a third from the other pixels',
      holds: mpf.pseudolikelihood < (2 / 3) * digits.independentPixels,
    },
    {
      claim:
        'a reasonable model of handwritten digits has been learned: no digit is missing from the draws after MPF',
      holds: mpf.classCounts.split(' ').every((count) => Number(count) > 0),
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
  ];
}

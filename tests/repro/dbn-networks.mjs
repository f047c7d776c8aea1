// Deep belief networks on digits: how they are fitted, and what is measured of them (dbn.mjs).

import { words } from '../../www/lib/random-bits.js';
import { unpacked as rowsOf } from './bit-rows.mjs';
import { drawUp, lowerBound } from './dbn-bound.mjs';
import {
  asData,
  countClasses,
  DIGIT_BYTES,
  entropyBits,
  judge,
  NUM_PIXELS,
  pixelMeans,
} from './digits.mjs';
import { mean } from './packed/estimates.mjs';

/** Streams of random numbers: the ways up of training digits, and of held-out ones. */
const [TRAINING, HELD_OUT] = [1, 2];

/** A network fitted to digits by one method, machine by machine. */
export async function fitNetwork({ engine, sizes, method, training, seed }) {
  const model = { kind: 'dbn', sizes };
  const fit = await timed(() =>
    engine.fit({ model, data: asData(training.bits), ...method, seed }),
  );
  const { layers } = fit.model;
  return { layers, seconds: fit.seconds, warnings: fit.warnings, digests: [fit.digest] };
}

/** A network with its top machine fitted anew by another method, to the same layers below. */
export async function replaceTop({ engine, network, sizes, method, training, seed }) {
  const [numVisible, numHidden] = sizes.slice(-2);
  const rows = waysUp(network.layers, training.bits, uniforms(seed, TRAINING));
  const values = Uint8Array.from(rows.flatMap((row) => [...row]));
  const model = { kind: 'rbm', numVisible, numHidden };
  const data = { kind: 'values', dim: numVisible, values };
  const fit = await timed(() => engine.fit({ model, data, ...method, seed }));
  const { weights, visibleBias, hiddenBias } = fit.model;
  const layers = [...network.layers.slice(0, -1), { weights, visibleBias, hiddenBias }];
  return { layers, seconds: fit.seconds, warnings: fit.warnings, digests: [fit.digest] };
}

/** Which digits a network draws, from chains that start at digits and from others that start at coin tosses. */
export async function measureDraws({ engine, network, sizes, training, heldOut, set, seed }) {
  const model = { kind: 'dbn', sizes, layers: network.layers };
  const from = (start) =>
    engine.sample({
      model,
      transition: { kind: 'blockGibbs' },
      numChains: set.numChains,
      numWarmup: 0,
      numDraws: set.numDraws,
      numStepsPerDraw: set.numSweeps,
      start,
      seed,
    });
  const draws = await from({ kind: 'data', data: asData(heldOut.bits) });
  const noise = await from({ kind: 'random' });
  const looks = judge(draws.draws.bits, training);
  const counts = countClasses(looks.map(({ label }) => label));
  const noiseCounts = countClasses(judge(noise.draws.bits, training).map(({ label }) => label));
  return {
    measured: {
      classCounts: counts.join(' '),
      classEntropyBits: entropyBits(counts),
      chiSquare: chiSquare(counts, countClasses(training.labels)),
      leastCount: Math.min(...counts),
      largestShare: Math.max(...counts) / looks.length,
      nearestPixels: mean(looks.map(({ distance }) => distance)),
      // Apart from the above as far as chains have not forgotten their start.
      classCountsFromNoise: noiseCounts.join(' '),
      classEntropyBitsFromNoise: entropyBits(noiseCounts),
    },
    sheet: draws.draws.bits.subarray(0, 200 * DIGIT_BYTES),
    digests: [draws.digest, noise.digest],
  };
}

/**
 * What the bottom machine is as a model of digits by itself: how it predicts pixels from the others, its log likelihood,
 * and where it puts its probability. `ink` is how many pixels its draws have on; `farShare` is the share of them that are
 * more than `farPixels` from every training digit.
 */
export async function measureBottom({ engine, network, training, heldOut, farPixels, set, seed }) {
  const machine = machineOf(network.layers[0]);
  const held = await evaluate(engine, machine, heldOut.bits);
  const trained = await evaluate(engine, machine, training.bits.subarray(0, heldOut.bits.length));
  const means = pixelMeans(training.bits);
  const numRows = training.labels.length;
  const data = asData(heldOut.bits);
  const { runs, best } = await anneal({ engine, machine, means, numRows, data, set, seed });
  // The last states of the annealing are draws, with weights (Neal 2001).
  const { forward, reverse, likelihood, states } = best;
  const greatest = Math.max(...forward.logWeights);
  const weights = forward.logWeights.map((logWeight) => Math.exp(logWeight - greatest));
  const looks = judge(packed(states), training);
  const inks = looks.map((_, at) =>
    states.subarray(at * NUM_PIXELS, (at + 1) * NUM_PIXELS).reduce((sum, on) => sum + on),
  );
  const weighted = (values) =>
    weights.reduce((sum, weight, at) => sum + weight * values[at], 0) /
    weights.reduce((sum, weight) => sum + weight);
  return {
    measured: {
      pseudolikelihood: held.objective,
      pseudolikelihoodTraining: trained.objective,
      logLikelihood: likelihood.mean.value,
      logLikelihoodError: likelihood.mean.standardError,
      // Had annealing from base rates alone been believed.
      logLikelihoodFromBaseRates: runs[0].likelihood.mean.value,
      logZ: forward.logZ.value,
      logZFromReverse: reverse.logZ.value,
      weightEss: forward.weightEss,
      ink: weighted(inks),
      farShare: weighted(looks.map(({ distance }) => Number(distance > farPixels))),
    },
    digests: [held.digest, trained.digest, ...runs.map(({ digest }) => digest)],
  };
}

/**
 * The lower bound on the log likelihood of held-out digits, in nats a digit. Of the estimates of the top machine's log Z,
 * on the way there and on the way back, the greater is taken: it makes the lower bound.
 */
export async function measureBound({ engine, network, training, heldOut, set, seed }) {
  const { layers } = network;
  const rows = waysUp(layers, training.bits, uniforms(seed, TRAINING));
  const means = Array.from(rows[0], (_, i) => mean(rows.map((row) => row[i])));
  const machine = machineOf(layers.at(-1));
  const numRows = rows.length;
  const { runs, best } = await anneal({ engine, machine, means, numRows, set, seed });
  const [there, back] = [best.forward.logZ, best.reverse.logZ];
  const bound = lowerBound({
    layers,
    logZ: Math.max(there.value, back.value),
    rows: unpacked(heldOut.bits),
    numDraws: set.numWaysUp,
    uniform: uniforms(seed, HELD_OUT),
  });
  return {
    measured: {
      lowerBound: bound.mean,
      // Of the mean over digits, as a sample of all.
      lowerBoundError: bound.error,
      topLogZ: there.value,
      topLogZError: there.standardError,
      topLogZFromReverse: back.value,
      topLogZFromBaseRates: runs[0].forward.logZ.value,
      topWeightEss: best.forward.weightEss,
    },
    digests: runs.map(({ digest }) => digest),
  };
}

/** −Σ ln p of held-out pixels under independent ones, in nats a digit. */
export function independentLoss(means, bits) {
  const numRows = bits.length / DIGIT_BYTES;
  let loss = 0;
  pixelMeans(bits).forEach((held, at) => {
    const p = Math.min(Math.max(means[at], 0.5 / numRows), 1 - 0.5 / numRows);
    loss -= held * Math.log(p) + (1 - held) * Math.log(1 - p);
  });
  return loss;
}

/** What a call comes to, with the seconds it took. */
async function timed(call) {
  const started = performance.now();
  const result = await call();
  return { ...result, seconds: (performance.now() - started) / 1000 };
}

/** A machine of a network as a model by itself. */
function machineOf(layer) {
  const [numVisible, numHidden] = [layer.visibleBias.length, layer.hiddenBias.length];
  return { kind: 'rbm', numVisible, numHidden, ...layer };
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

/**
 * Annealing from independent units with the means of a machine's rows, "base rates", and from even odds; and back from the
 * states that either comes to. Where chains miss states their estimate of log Z is too small, so the run with the greater
 * one is the best.
 */
async function anneal({ engine, machine, means, numRows, data, set, seed }) {
  // No unit is never or always on: half a row more of each.
  const logOdds = Array.from(means, (rate) =>
    Math.log((rate * numRows + 0.5) / (numRows - rate * numRows + 0.5)),
  );
  const runs = [];
  for (const reference of [{ kind: 'independent', logOdds }, { kind: 'uniform' }]) {
    const run = await engine.logZ({
      model: machine,
      reference,
      schedule: { kind: 'linear' },
      numChains: set.numAnnealed,
      numDistributions: set.numDistributions,
      reverse: { start: { kind: 'forward', numWarmup: set.numSweeps } },
      keepStates: true,
      ...(data && { data }),
      seed,
    });
    runs.push(run);
  }
  const [fromRates, fromEven] = runs;
  const best = fromEven.forward.logZ.value > fromRates.forward.logZ.value ? fromEven : fromRates;
  return { runs, best };
}

/** The visible states of the top machine that digits are drawn to. */
function waysUp(layers, bits, uniform) {
  return unpacked(bits).map((visible) => drawUp(layers, visible, uniform).at(-1));
}

/** Numbers in [0, 1), one a call. */
function uniforms(seed, stream) {
  const next = words(seed, stream);
  return () => next() / 2 ** 32;
}

/** Digits as arrays of 0 and 1. */
const unpacked = (bits) => rowsOf({ dim: NUM_PIXELS, numRows: bits.length / DIGIT_BYTES, bits });

/** States of 0 and 1, one after another, as rows of digits. */
function packed(states) {
  const bits = new Uint8Array((states.length / NUM_PIXELS) * DIGIT_BYTES);
  states.forEach((on, at) => {
    const [row, pixel] = [Math.floor(at / NUM_PIXELS), at % NUM_PIXELS];
    bits[row * DIGIT_BYTES + (pixel >> 3)] |= on << (pixel & 7);
  });
  return bits;
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

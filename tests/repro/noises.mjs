// Digits from one energy for rows with much noise and with little: Risteski's lecture on energy-based models (2021), its
// part on denoising score matching and annealed Langevin dynamics, after Song and Ermon (2019, 2020). The lecture shows
// pictures of theirs and gives no figures: those are ours. A network of two layers learns E such that digits of 14×14 pixels
// with noise σ have the energy E(x)/σ, by denoising score matching at several σ.
//
// What is measured: how far a draw is from the nearest of the digits learned from, of which kind that digit is, and how much the
// ink stands out; beside held-out digits, which get the noise of the draws first.

import { mkdir, writeFile } from 'node:fs/promises';
import { readDigits } from './digits.mjs';
import { encodePng } from './packed/png.mjs';
import { uniforms } from './uniforms.mjs';

export const name = 'noises';
export const about =
  'digits drawn by annealed Langevin dynamics from one energy of several noises (Risteski 2021)';
export const source = 'Risteski 2021, denoising score matching; Song and Ermon 2019, 2020';
export const departures = [
  {
    of: 'model',
    paper: 'a convolutional network that gives the score',
    ours: 'an energy: two layers of 256 softplus units',
  },
  {
    of: 'data',
    paper: 'MNIST, CelebA, CIFAR-10 in full size',
    ours: '8,000 binary digits, averaged to 14×14',
  },
  { of: 'figures', paper: 'none', ours: 'all' },
];

const SIDE = 14;
const DIM = SIDE ** 2;
/** σ, for pixels between −1 and 1. */
const NOISES = [4, 2.5, 1.6, 1, 0.63, 0.4, 0.25, 0.16];
const LEAST = NOISES.at(-1);

const settings = (quick) => ({
  numRows: quick ? 1000 : 8000,
  numHeldOut: quick ? 100 : 500,
  numDraws: quick ? 100 : 500,
  numHidden: quick ? [96, 96] : [256, 256],
  numEpochs: 100,
  batchSize: quick ? 25 : 64,
  numSteps: 100,
  stepSize: 0.2,
});

/** Digits of 28×28 bits, averaged to 14×14 numbers from −1 to 1. */
function small(bits) {
  const states = new Float64Array((bits.length / 98) * DIM);
  for (let at = 0; at < states.length; at++) {
    const [row, y, x] = [Math.floor(at / DIM), Math.floor((at % DIM) / SIDE), at % SIDE];
    for (const pixel of [56 * y + 2 * x, 56 * y + 2 * x + 1]) {
      for (const place of [pixel, pixel + 28]) {
        states[at] += ((bits[row * 98 + (place >> 3)] >> (place & 7)) & 1) / 2;
      }
    }
    states[at] -= 1;
  }
  return states;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Standard deviation of the pixels of a picture. */
function spread(pixels) {
  const mean = pixels.reduce((sum, pixel) => sum + pixel, 0) / pixels.length;
  return Math.sqrt(pixels.reduce((sum, pixel) => sum + (pixel - mean) ** 2, 0) / pixels.length);
}

/** For each state the nearest row: how far it is, and which digit. */
function nearest(states, rows, labels) {
  return Array.from({ length: states.length / DIM }, (_, state) => {
    let best = { square: Infinity, label: 0 };
    for (const [row, label] of labels.entries()) {
      let square = 0;
      for (let i = 0; i < DIM && square < best.square; i++) {
        square += (states[state * DIM + i] - rows[row * DIM + i]) ** 2;
      }
      if (square < best.square) best = { square, label };
    }
    return { distance: Math.sqrt(best.square), label: best.label };
  });
}

export async function run({ engine, quick, seed, log, out }) {
  const set = settings(quick);
  const digits = await readDigits();
  const training = digits.slice(0, set.numRows);
  const heldOut = digits.slice(8000, 8000 + set.numHeldOut);
  const rows = small(training.bits);

  const fit = await engine.fit({
    model: { kind: 'neural', dim: DIM, numHidden: set.numHidden, scale: 10 },
    states: rows,
    objective: { kind: 'denoisingScoreMatching', noises: NOISES },
    optimizer: {
      kind: 'adam',
      batchSize: set.batchSize,
      numEpochs: set.numEpochs,
      learningRate: { start: 0.002, end: 0.00005 },
    },
    init: { kind: 'normal', scale: 0.1 },
    seed,
  });
  log(`fitted: ${fit.objective.toFixed(2)} of ${DIM / 2}`);

  const drawn = (noises, numSteps) =>
    engine.sample({
      model: fit.model,
      transition: { kind: 'annealedLangevin', noises, numSteps, stepSize: set.stepSize },
      numChains: set.numDraws,
      numWarmup: 0,
      numDraws: 1,
      seed,
    });
  const annealed = await drawn(NOISES, set.numSteps);
  // As many steps, all of them at the least noise.
  const straight = await drawn([LEAST], set.numSteps * NOISES.length);

  // Sums of twelve uniform numbers are nearly normal, and the same everywhere.
  const uniform = uniforms(seed);
  const normal = () => Array.from({ length: 12 }, uniform).reduce((sum, u) => sum + u, -6);
  const noisy = small(heldOut.bits).map((pixel) => pixel + LEAST * normal());
  const pictures = {
    annealed: annealed.draws.values,
    straight: straight.draws.values,
    heldOut: noisy,
  };
  const labels = {
    annealed: 'through all noises',
    straight: 'at the least noise alone',
    heldOut: 'held-out digits with that noise',
  };
  const table = Object.entries(pictures).map(([key, states]) => {
    const all = nearest(states, rows, training.labels);
    const kinds = Array.from(
      { length: 10 },
      (_, digit) => all.filter(({ label }) => label === digit).length,
    );
    return {
      label: labels[key],
      measured: {
        distance: median(all.map(({ distance }) => distance)),
        contrast: median(
          Array.from(all, (_, at) => spread(states.subarray(at * DIM, at * DIM + DIM))),
        ),
        rarest: Math.min(...kinds) / all.length,
        commonest: Math.max(...kinds) / all.length,
      },
      paper: {},
    };
  });
  table.push({
    label: 'the fit',
    measured: { objective: fit.objective, withoutModel: DIM / 2, warnings: fit.warnings.length },
    paper: {},
  });

  if (out) {
    await mkdir(out, { recursive: true });
    await writeFile(new URL('noises.png', out), sheet([annealed, straight]));
  }

  const [through, alone] = table.map(({ measured }) => measured);
  const checks = [
    {
      claim: 'all ten digits are among draws through all noises, each one of fifty or more',
      holds: through.rarest >= 0.02,
    },
    {
      claim:
        'draws at the least noise alone, from the same starts, are less evenly spread over the digits',
      holds: alone.commonest > through.commonest && alone.rarest <= through.rarest,
    },
    {
      claim:
        'and they are paler: the ink of draws through all noises stands out more from the paper',
      holds: through.contrast > alone.contrast,
    },
  ];
  const digests = [fit.digest, annealed.digest, straight.digest];
  return { rows: table, checks, digests, settings: { ...set, noises: NOISES, side: SIDE } };
}

/** The first 48 draws of each kind, one below the other, three times as large. */
function sheet(results) {
  const [across, down, scale] = [16, 3, 3];
  const pitch = (SIDE + 1) * scale;
  const [width, height] = [across * pitch, results.length * (down * pitch + pitch)];
  const pixels = new Uint8Array(width * height).fill(128);
  for (const [part, { draws }] of results.entries()) {
    for (let at = 0; at < across * down * DIM; at++) {
      const [draw, pixel] = [Math.floor(at / DIM), at % DIM];
      const ink = Math.round(255 * Math.min(1, Math.max(0, (draws.values[at] + 1) / 2)));
      const top = part * (down + 1) * pitch + Math.floor(draw / across) * pitch;
      const [y, x] = [
        top + Math.floor(pixel / SIDE) * scale,
        (draw % across) * pitch + (pixel % SIDE) * scale,
      ];
      for (let dy = 0; dy < scale; dy++)
        pixels.fill(ink, (y + dy) * width + x, (y + dy) * width + x + scale);
    }
  }
  return encodePng(width, height, pixels);
}

// Pictures with a tenth of their pixels flipped, restored by an Ising model: Risteski's lecture on energy-based models
// (2021), its example of image denoising. With spins s and what is seen, y, the energy is
//
//   E(s) = −β Σ s_i s_j − η Σ s_i y_i,   η = ½ ln((1 − p)/p),
//
// which for pictures drawn from exp(β Σ s_i s_j) is the posterior. Three answers: descent from what is seen (iterated
// conditional modes), the most probable picture by a minimum cut, and the picture of the more probable value of each
// pixel, from Gibbs draws. The lecture shows a picture and gives no figures: those are ours.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { unpacked } from './bit-rows.mjs';
import { bitSheet } from './packed/bit-sheet.mjs';
import { estimate, mean } from './packed/estimates.mjs';
import { uniforms } from './uniforms.mjs';

export const name = 'denoising';
export const about =
  'noisy pictures restored: descent, minimum cut, posterior mean (Risteski 2021)';
export const source = 'Risteski 2021, example of image denoising';
export const departures = [
  {
    of: 'pictures',
    paper: 'one, whose source is not said',
    ours: 'draws of the prior itself, digits, and synthetic fingerprints',
  },
  { of: 'figures', paper: 'none', ours: 'all' },
];

const NOISE = 0.1;
const ETA = 0.5 * Math.log((1 - NOISE) / NOISE);
/** Sites on a side of the crops whose marginals are known exactly. */
const CROP = 16;
const ERRORS = 6;
const SIDE = 64;

const settings = (quick) => ({
  side: quick ? 24 : SIDE,
  numPictures: quick ? 4 : 20,
  numChains: 20,
  numDraws: quick ? 100 : 500,
  numPixelsChecked: quick ? 4 : 16,
});

/** The prior: neighbours agree. Below 0.4407 it has one phase. */
const BETA = 0.42;
const BETAS = [0, 0.2, 0.4, 0.6, 0.8, 1];

const lattice = (side) => ({ kind: 'lattice', numRows: side, numCols: side });

/** The posterior as an Ising model of x = (s + 1)/2: J_ij = −2β, J_ii = −2 η y_i − Σ_j J_ij. */
function posterior(seen, side, beta) {
  const dim = side ** 2;
  const biases = Float64Array.from({ length: dim }, (_, i) => -2 * ETA * (seen[i] ? 1 : -1));
  const couplings = [];
  for (let i = 0; i < dim; i++) {
    const right = i % side < side - 1 ? [i + 1] : [];
    const below = i + side < dim ? [i + side] : [];
    for (const j of [...right, ...below]) {
      couplings.push(-2 * beta);
      biases[i] += 2 * beta;
      biases[j] += 2 * beta;
    }
  }
  return {
    kind: 'ising',
    dim,
    pattern: lattice(side),
    params: Float64Array.from([...biases, ...couplings]),
  };
}

const noisy = (picture, uniform) => picture.map((pixel) => (uniform() < NOISE ? 1 - pixel : pixel));
const packed = (picture) => {
  const bits = new Uint8Array(Math.ceil(picture.length / 8));
  for (const [i, pixel] of picture.entries()) bits[i >> 3] |= pixel << (i & 7);
  return bits;
};
const shareOff = (one, other) => mean(Array.from(one, (pixel, i) => Number(pixel !== other[i])));

/** All answers for one picture. */
async function restored(engine, seen, side, beta, set, seed, digests) {
  const model = posterior(seen, side, beta);
  const { dim } = model;
  const cues = { kind: 'bits', dim, numRows: 1, bits: packed(seen) };
  const descent = await engine.recall({ model, cues, seed });
  const best = await engine.mode({ model });
  const chains = await engine.sample({
    model,
    transition: { kind: 'gibbs' },
    numChains: set.numChains,
    numWarmup: 200,
    numDraws: set.numDraws,
    numStepsPerDraw: 2,
    moments: false,
    seed,
  });
  digests.push(descent.digest, best.digest, chains.digest);
  const marginals = new Float64Array(dim);
  for (const draw of unpacked(chains.draws)) {
    for (let i = 0; i < dim; i++) marginals[i] += draw[i] / chains.draws.numRows;
  }
  return {
    descent: unpacked(descent.states)[0],
    best: unpacked(best.state)[0],
    likeliest: Uint8Array.from(marginals, (p) => Number(p > 0.5)),
    /** What share of the pixels the posterior itself expects to be off in `likeliest`. */
    expected: mean(Array.from(marginals, (p) => Math.min(p, 1 - p))),
    energies: { descent: descent.energies[0], best: best.energy },
  };
}

/** Marginals of a crop by Gibbs draws against those by elimination: ln p(x_i = 1) is a difference of two log Z. */
async function marginalsOfCrop(engine, picture, set, seed, digests) {
  const model = posterior(noisy(picture, uniforms(seed + 77)), CROP, BETA);
  const { moments, momentErrors, digest } = await engine.sample({
    model,
    transition: { kind: 'gibbs' },
    numChains: 100,
    numWarmup: 200,
    numDraws: set.numDraws,
    moments: true,
    seed,
  });
  digests.push(digest);
  const whole = await engine.exact({ model });
  let worst = 0;
  for (let at = 0; at < set.numPixelsChecked; at++) {
    const i = (at * 37 + 5) % CROP ** 2;
    const given = await engine.exact({ model, observed: { sites: [i], values: [1] } });
    const exact = Math.exp(given.logZ - whole.logZ);
    const place = i * (CROP ** 2 + 1);
    worst = Math.max(worst, Math.abs(moments[place] - exact) / momentErrors[place]);
  }
  return worst;
}

/** Pictures that are no draws of the prior: digits, and fingerprints, whose ridges are three pixels wide. */
async function givenPictures(quick) {
  const read = async (file, size, numRows) => {
    const bits = await readFile(new URL(`../../www/data/${file}`, import.meta.url));
    const few = { dim: size ** 2, numRows, bits };
    return unpacked(few);
  };
  return [
    {
      kind: 'digits',
      size: 28,
      pictures: await read('mnist-binary-9000.bits', 28, quick ? 2 : 20),
    },
    {
      kind: 'fingerprints',
      size: SIDE,
      pictures: await read('fingerprints-80.bits', SIDE, quick ? 1 : 4),
    },
  ];
}

export async function run({ engine, quick, seed, log, out }) {
  const set = settings(quick);
  const { side, numPictures } = set;
  const digests = [];
  const rows = [];
  const gaps = [];
  const keys = ['descent', 'best', 'likeliest'];

  const prior = {
    kind: 'ising',
    dim: side ** 2,
    pattern: lattice(side),
    uniform: { coupling: BETA },
  };
  const { draws, digest } = await engine.sample({
    model: prior,
    transition: { kind: 'swendsenWang' },
    numChains: numPictures,
    numWarmup: 1000,
    numDraws: 1,
    moments: false,
    seed,
  });
  digests.push(digest);
  const pictures = unpacked(draws);
  const uniform = uniforms(seed);
  const off = { seen: [], descent: [], best: [], likeliest: [], expected: [] };
  for (const picture of pictures) {
    const seen = noisy(picture, uniform);
    const answers = await restored(engine, seen, side, BETA, set, seed, digests);
    off.seen.push(shareOff(seen, picture));
    for (const key of keys) off[key].push(shareOff(answers[key], picture));
    off.expected.push(answers.expected);
    gaps.push(answers.energies.descent - answers.energies.best);
  }
  const drawn = { label: 'draws of the prior', measured: {}, paper: {} };
  for (const [key, shares] of Object.entries(off)) {
    const { mean: value, error } = estimate(shares);
    Object.assign(drawn.measured, { [key]: value, [`${key}Error`]: error });
  }
  rows.push(drawn);
  // The pictures differ more than the answers to one: pairs are compared.
  const paired = (a, b) => estimate(a.map((share, at) => share - b[at]));
  const calibrated = paired(off.likeliest, off.expected);
  const better = paired(off.best, off.likeliest);
  const thanDescent = paired(off.descent, off.likeliest);
  log(`draws of the prior restored: ${off.likeliest.map((share) => share.toFixed(3)).join(' ')}`);

  const sheet = [];
  for (const { kind, size, pictures } of await givenPictures(quick)) {
    for (const beta of quick ? [0, 0.6] : BETAS) {
      const shares = { seen: [], descent: [], best: [], likeliest: [] };
      for (const [at, picture] of pictures.entries()) {
        const seen = noisy(picture, uniforms(seed + 100 + at));
        const answers = await restored(engine, seen, size, beta, set, seed, digests);
        shares.seen.push(shareOff(seen, picture));
        for (const key of keys) shares[key].push(shareOff(answers[key], picture));
        gaps.push(answers.energies.descent - answers.energies.best);
        if (kind === 'digits' && beta === 0.6 && at < 4) {
          sheet.push(picture, seen, ...keys.map((key) => answers[key]));
        }
      }
      const measured = Object.fromEntries(
        Object.entries(shares).map(([key, all]) => [key, mean(all)]),
      );
      rows.push({ label: `${kind}, β = ${beta}`, measured, paper: {} });
      log(`${kind} at β = ${beta}: ${measured.likeliest.toFixed(4)} off`);
    }
  }

  const crop = pictures[0].filter((_, i) => i % side < CROP && Math.floor(i / side) < CROP);
  const worst = await marginalsOfCrop(engine, crop, set, seed, digests);
  rows.push({
    label: 'the descent above the cut, in nats',
    measured: { least: Math.min(...gaps), mean: mean(gaps) },
    paper: {},
  });
  rows.push({
    label: `marginals of ${CROP} × ${CROP} pixels`,
    measured: { worst, numPixels: set.numPixelsChecked },
    paper: {},
  });
  if (out) {
    await mkdir(out, { recursive: true });
    const bits = Uint8Array.from(sheet.flatMap((picture) => [...packed(picture)]));
    await writeFile(
      new URL('denoising.png', out),
      bitSheet(bits, { side: 28, numColumns: 5, scale: 3 }),
    );
  }

  const still = rows.filter(({ label }) => label.endsWith('β = 0'));
  const checks = [
    {
      claim: 'the picture that is restored has fewer pixels off than the one that is seen',
      holds: keys.every((key) => mean(off[key]) < mean(off.seen)),
    },
    {
      claim:
        'of draws of the prior, the more probable value of each pixel has as many off as the posterior expects',
      holds: Math.abs(calibrated.mean) < ERRORS * calibrated.error,
    },
    {
      claim:
        'the more probable value of each pixel has no more off than the most probable picture, and than descent',
      holds: better.mean > -ERRORS * better.error && thanDescent.mean > -ERRORS * thanDescent.error,
    },
    {
      claim: 'descent never ends below the minimum cut',
      holds: gaps.every((gap) => gap >= -1e-9),
    },
    {
      claim: 'without neighbours, β = 0, every answer is what is seen',
      holds: still.every(({ measured }) => keys.every((key) => measured[key] === measured.seen)),
    },
    {
      claim: `marginals from Gibbs draws are those by elimination, within ${ERRORS} standard errors`,
      holds: worst < ERRORS,
    },
  ];
  return { rows, checks, digests, settings: { ...set, noise: NOISE, beta: BETA } };
}

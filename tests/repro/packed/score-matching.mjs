// Appendix D of Sohl-Dickstein's thesis (2012), eq. 2.16 and 2.17: minimum probability flow between
// states closer than r becomes score matching as r falls to 0.
//
// With g uniform in the ball of radius r, in D dimensions, neighbours are x + δ with E[δδᵀ] =
// r²/(D + 2) I, and all odd moments are 0. To second order in δ the flow is
//   e^{½ (E(x) − E(x + δ))} = 1 − ½ δ·∇E − ¼ δᵀ∇²E δ + ⅛ (δ·∇E)² + …,
// the mean of which over the ball is 1 + r²/(4 (D + 2)) [½ |∇E|² − ∇²E] + O(r⁴). Hence
//   (K(r) − 1) · 4 (D + 2)/r² = K_SM + O(r²),
// and the parameters that minimize both differ by O(r²) too: slopes of 2 on logarithmic axes. (The
// appendix has a cube for the ball, and prints the exponent without its ½.) Higher moments of D
// dimensions enter only in the O(r²).
//
// Neighbours are drawn: what is found has the noise of the draws, which hides the O(r²) below some
// radius. Errors are standard errors over seeds. With one seed the draws u at all r are the same
// (δ = ru), and the noise cancels in K(r) − K(r/2): slopes are of those differences. All constants
// are ours; the thesis gives the limit and no figures.

import { mkdir, writeFile } from 'node:fs/promises';
import { drawCurves } from './curves.mjs';
import { distancesOf, valuesOf } from './vanishing.mjs';

export const name = 'score-matching';
export const about = 'flow to a ball becomes score matching as it shrinks (thesis, appendix D)';
export const source = 'Sohl-Dickstein 2012, appendix D';
export const departures = [
  {
    of: 'claim',
    paper: 'a limit, derived; no figures',
    ours: 'values and fits at radii halved again and again, for two models',
  },
  { of: 'neighbours', paper: 'in a cube', ours: 'in a ball' },
];

/** In standard errors: by Student's t with 15 degrees of freedom chance is further off less than once in a million. */
const FAR = 9;
const NUM_SEEDS = 16;
const DIM = 3;

const settings = (quick) => ({
  numRows: quick ? 500 : 2000,
  valueSamples: quick ? 20 : 200,
  fitSamples: quick ? 20 : 40,
  valueRadii: halvings(1, quick ? 6 : 7),
  fitRadii: halvings(1, quick ? 3 : 5),
});

export async function run({ engine, quick, seed, log, out }) {
  const sizes = settings(quick);
  const rows = [];
  const found = [];
  const digests = [];
  await mkdir(out, { recursive: true });
  for (const { label, file, truth, start, paramsOf, ticks } of models()) {
    const states = await drawsOf(engine, truth, sizes.numRows, seed);
    const fit = async (objective, rest) => {
      const result = await engine.fit({ model: start, states, objective, seed, ...rest });
      digests.push(result.digest);
      return result;
    };
    const evaluate = async (objective, again) =>
      (await fit(objective, { optimizer: { kind: 'lbfgs', maxIterations: 0 }, seed: again }))
        .objective;
    const seeds = Array.from({ length: NUM_SEEDS }, (_, n) => seed + n);

    const scoreMatching = await evaluate({ kind: 'scoreMatching' }, seed);
    const byHand = await scoreMatchingByHand(engine, start, states);
    const scaled = [];
    for (const radius of sizes.valueRadii) {
      const values = [];
      for (const again of seeds) {
        const flow = await evaluate(ball(radius, sizes.valueSamples), again);
        values.push(((flow - 1) * 4 * (DIM + 2)) / radius ** 2);
      }
      scaled.push(values);
    }
    const values = valuesOf(sizes.valueRadii, scaled, scoreMatching);
    log(
      `${label}: K_SM ${scoreMatching}, scaled flow ${values.gaps.map(({ mean }) => mean)} above`,
    );

    // The tolerance is of 1 + O(r²), of which only the second part is fitted.
    const optimizer = { kind: 'lbfgs', tolerance: 1e-14 };
    const matched = await fit({ kind: 'scoreMatching' }, { optimizer });
    const params = [];
    for (const radius of sizes.fitRadii) {
      const each = [];
      for (const again of seeds) {
        const objective = ball(radius, sizes.fitSamples);
        const { model } = await fit(objective, { model: matched.model, optimizer, seed: again });
        each.push(paramsOf(model));
      }
      params.push(each);
    }
    const distances = distancesOf(sizes.fitRadii, params, paramsOf(matched.model));
    log(`${label}: distances of the parameters ${distances.gaps.map(({ mean }) => mean)}`);

    found.push({ label, scoreMatching, byHand, values, distances, matched, states });
    rows.push({ label, measured: shown(sizes, scoreMatching, values, distances), paper: {} });
    await writeFile(new URL(`${file}.png`, out), figure(sizes, values, distances, ticks));
    log(
      `${file}.png: by r, how far the scaled flow is from score matching (blue), and the parameters (red).`,
    );
  }
  return { rows, checks: checks(found), digests };
}

function models() {
  return [
    {
      label: "Student's t product of 3 experts",
      file: 'score-matching-student',
      truth: {
        kind: 'productOfExperts',
        dim: DIM,
        expert: 'studentT',
        filters: [1, 0.3, 0, -0.2, 0.8, 0.4, 0.1, 0, 1.2],
        lambda: [1.5, 1.5, 2],
      },
      start: {
        kind: 'productOfExperts',
        dim: DIM,
        expert: 'studentT',
        filters: [1, 0, 0, 0, 1, 0, 0, 0, 1],
        lambda: [2.5, 2.5, 2.5],
      },
      paramsOf: ({ filters, lambda }) => [...filters, ...lambda],
      ticks: [1e-4, 1e-3, 1e-2, 1e-1, 1, 10],
    },
    {
      label: 'Gaussian',
      file: 'score-matching-gaussian',
      truth: {
        kind: 'gaussian',
        dim: DIM,
        mean: [0.5, 0, -0.5],
        covariance: [1, 0.5, 0, 0.5, 1.5, 0.3, 0, 0.3, 0.7],
      },
      start: {
        kind: 'gaussian',
        dim: DIM,
        mean: [0, 0, 0],
        precision: [1, 0, 0, 0, 1, 0, 0, 0, 1],
      },
      paramsOf: ({ mean, precision }) => [...mean, ...upperTriangle(precision)],
      ticks: [1e-4, 1e-3, 1e-2, 1e-1, 1, 10],
    },
  ];
}

const ball = (radius, numSamples) => ({
  kind: 'mpf',
  connectivity: { kind: 'ball', radius, numSamples },
});

function halvings(first, count) {
  return Array.from({ length: count }, (_, n) => first / 2 ** n);
}

function upperTriangle(matrix) {
  return [...matrix].filter((_, at) => at % DIM >= Math.floor(at / DIM));
}

/** Independent exact draws: a step of an exact transition from an exact draw is one too. */
async function drawsOf(engine, model, numRows, seed) {
  const { draws } = await engine.sample({
    model,
    transition: { kind: 'langevin', stepSize: 0.1 },
    numChains: numRows,
    numWarmup: 0,
    numDraws: 1,
    start: { kind: 'exact' },
    seed,
  });
  return draws.values;
}

/** ½ |∇E|² − ∇²E averaged over rows, ∇²E from central differences of the engine's gradients. */
async function scoreMatchingByHand(engine, model, states) {
  const step = 1e-4;
  const at = async (shift) =>
    (await engine.energies({ model, states: shift(Float64Array.from(states)), gradients: true }))
      .gradients;
  const numRows = states.length / DIM;
  let sum = (await at((x) => x)).reduce((total, slope) => total + 0.5 * slope * slope, 0);
  for (let d = 0; d < DIM; d++) {
    const moved = (by) => (x) => x.map((value, n) => (n % DIM === d ? value + by : value));
    const [above, below] = [await at(moved(step)), await at(moved(-step))];
    for (let n = d; n < states.length; n += DIM) sum -= (above[n] - below[n]) / (2 * step);
  }
  return sum / numRows;
}

function shown({ valueRadii, fitRadii }, scoreMatching, values, distances) {
  const pairs = (prefix, radii, { gaps, slopes, atZero }) => [
    ...gaps.map((gap, n) => [`${prefix}GapR1/${1 / radii[n]}`, gap]),
    ...slopes.map((slope, n) => [`${prefix}SlopeR1/${1 / radii[n]}`, slope]),
    [`${prefix}GapAtZero`, atZero],
  ];
  return {
    scoreMatching,
    ...Object.fromEntries(
      [...pairs('value', valueRadii, values), ...pairs('params', fitRadii, distances)].flatMap(
        ([key, { mean, error }]) => [
          [key, mean],
          [`${key}Error`, error],
        ],
      ),
    ),
  };
}

function figure({ valueRadii, fitRadii }, values, distances, yTicks) {
  const curve = ({ gaps }, radii, colour) => {
    const ascending = [...gaps].reverse();
    // The curve of the fits has fewer radii: it ends, and lies on the axis below.
    const missing = Array.from({ length: valueRadii.length - radii.length }, () => ({
      mean: 0,
      error: 0,
    }));
    const all = [...missing, ...ascending];
    return {
      values: all.map(({ mean }) => Math.abs(mean)),
      errors: all.map(({ error }) => error),
      colour,
    };
  };
  const x = [...valueRadii].reverse();
  return drawCurves({
    curves: [curve(values, valueRadii, [30, 70, 200]), curve(distances, fitRadii, [200, 30, 30])],
    x,
    xTicks: x,
    yTicks,
    xLog: true,
    yLog: true,
  });
}

function checks(found) {
  const near = ({ mean, error }, to, slack = 0) => Math.abs(mean - to) < FAR * error + slack;
  return found.flatMap(({ label, scoreMatching, byHand, values, distances, matched, states }) => [
    {
      claim: `${label}: K_SM is ½ |∇E|² − ∇²E by differences of the engine's gradients, to a relative 1e-6`,
      holds: Math.abs(scoreMatching - byHand) < 1e-6 * Math.abs(byHand),
    },
    {
      claim: `${label}: extrapolated to r = 0, (K − 1) 4 (D + 2)/r² is K_SM, within ${FAR} standard errors`,
      holds: near(values.atZero, 0),
    },
    {
      claim: `${label}: the distance from K_SM falls as r²: its last slope is 2, within ${FAR} standard errors and 0.02`,
      holds: near(values.slopes.at(-1), 2, 0.02),
    },
    {
      claim: `${label}: the distance of the fitted parameters falls as r²: its last slope is 2, within ${FAR} standard errors and 0.3, with an error below 0.5`,
      holds: near(distances.slopes.at(-1), 2, 0.3) && distances.slopes.at(-1).error < 0.5,
    },
    {
      claim: `${label}: extrapolated to r = 0, the fitted parameters are those of score matching, within ${FAR} standard errors`,
      holds: distances.atZero.mean < FAR * distances.atZero.error,
    },
    ...(matched.model.kind === 'gaussian'
      ? [
          {
            claim: `${label}: score matching finds the mean and the covariance of the data, to 1e-5`,
            holds: momentsDiffer(matched.model, states) < 1e-5,
          },
        ]
      : []),
  ]);
}

/** How far a Gaussian is from the moments of the data: the most that mean or Λ C − I is off. */
function momentsDiffer({ mean, precision }, states) {
  const numRows = states.length / DIM;
  const entries = Array.from({ length: DIM }, (_, d) => d);
  const average = (of) => {
    let sum = 0;
    for (let n = 0; n < numRows; n++) sum += of(n * DIM);
    return sum / numRows;
  };
  const means = entries.map((d) => average((row) => states[row + d]));
  const covariance = entries.map((a) =>
    entries.map((b) =>
      average((row) => (states[row + a] - means[a]) * (states[row + b] - means[b])),
    ),
  );
  const product = entries.flatMap((a) =>
    entries.map((b) =>
      entries.reduce((sum, k) => sum + precision[a * DIM + k] * covariance[k][b], a === b ? -1 : 0),
    ),
  );
  return Math.max(...means.map((value, d) => Math.abs(value - mean[d])), ...product.map(Math.abs));
}

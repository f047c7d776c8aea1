/**
 * Ten posteriors of posteriordb (Magnusson and others 2023), each a formula on the reals: what is positive or bounded is a
 * logarithm or a logit, with the logarithm of the Jacobian in the energy. `data` are what a peer writes the same energy
 * from. The data are real ones, of the collection or of the examples of Stan and BUGS that it has them from; none is
 * simulated here. Least squares are taken from the triangular factor of the columns, and equal rows are counted, for all
 * alike. Formulas have 10,000 characters at most, and no loops: hidden Markov models, Gaussian processes, GARCH and
 * thousands of rows are left out.
 */

import { normals } from '../lib/random-models.js';
import {
  AUTOREGRESSIVE,
  DOGS,
  DUGONGS,
  MESQUITE,
  PEREGRINES,
  RATS,
  SCHOOLS,
  SEEDS,
  SURGICAL,
} from './posterior-data.js';

/**
 * The no-U-turn sampler on each, four chains on one thread, by the defaults of each library: a diagonal metric, and steps to
 * an acceptance of 0.8. What counts are effective draws a second, warm-up included, of the entry that has fewest.
 */
export function posteriorWorkloads(quick) {
  const [numWarmup, numDraws] = quick ? [100, 100] : [1000, 1000];
  return posteriors().map(({ id, name, variables, expression, data }) => ({
    name: `NUTS, ${name}, d = ${variables.length}`,
    id: `nuts-${id}`,
    kind: 'posterior',
    engines: ['node', 'chromium', 'blackjax', 'numpyro', 'nutpie'],
    numRounds: quick ? 1 : 5,
    posterior: { id, data },
    spec: {
      verb: 'sample',
      model: { kind: 'formula', variables, expression },
      transition: { kind: 'nuts' },
      numChains: 4,
      numWarmup,
      numDraws,
    },
  }));
}

/** States of normal numbers, one after another. */
export function statesOf(numStates, dim, seed) {
  const normal = normals(seed);
  return Array.from({ length: numStates * dim }, normal);
}

/** What a name stands for in posteriordb, the entries of a state, the energy, and the data. */
function posteriors() {
  return [
    eightSchoolsNoncentered(),
    eightSchoolsCentered(),
    autoregression(),
    mesquite(),
    dogs(),
    peregrines(),
    dugongs(),
    seeds(),
    surgical(),
    rats(),
  ];
}

const sum = (terms) => terms.join(' + ');
const squares = (names) => sum(names.map((name) => `${name}^2`));
const numbered = (stem, count) => Array.from({ length: count }, (_, at) => `${stem}${at + 1}`);
/** A number as a factor or a term. */
const text = (value) => (value < 0 ? `(${value})` : `${value}`);
/** Of p = sigmoid(x), −ln of p (1 − p). */
const slope = (name) => `softplus(${name}) + softplus(-${name})`;

/** Of μ ~ N(0, 5) and τ = exp(l), half a Cauchy's of scale 5. */
const SCHOOLS_PRIOR = '1/50*mu^2 + ln(1 + 1/25*exp(l)^2) - l';

/** eight_schools-eight_schools_noncentered; data: Rubin (1981). */
function eightSchoolsNoncentered() {
  const { effects, errors } = SCHOOLS;
  const names = numbered('t', 8);
  const rows = names.map(
    (name, j) => `1/${2 * errors[j] ** 2}*(${text(effects[j])} - mu - exp(l)*${name})^2`,
  );
  return {
    id: 'eight-schools-noncentered',
    name: 'eight schools, not centred',
    variables: [...names, 'mu', 'l'],
    expression: `1/2*(${squares(names)}) + ${sum(rows)} + ${SCHOOLS_PRIOR}`,
    data: SCHOOLS,
  };
}

/** eight_schools-eight_schools_centered. */
function eightSchoolsCentered() {
  const { effects, errors } = SCHOOLS;
  const names = numbered('t', 8);
  const rows = names.map((name, j) => `1/${2 * errors[j] ** 2}*(${text(effects[j])} - ${name})^2`);
  const apart = sum(names.map((name) => `(${name} - mu)^2`));
  return {
    id: 'eight-schools-centered',
    name: 'eight schools, centred',
    variables: [...names, 'mu', 'l'],
    expression: `1/2*exp(-2*l)*(${apart}) + 8*l + ${sum(rows)} + ${SCHOOLS_PRIOR}`,
    data: SCHOOLS,
  };
}

/** arK-arK: five lags of 200 values, simulated by the collection's authors. */
function autoregression() {
  const numLags = 5;
  const rows = AUTOREGRESSIVE.slice(numLags).map((value, at) => [
    1,
    ...Array.from({ length: numLags }, (_, lag) => AUTOREGRESSIVE[at + numLags - 1 - lag]),
    value,
  ]);
  const data = leastSquares(rows);
  const names = numbered('b', numLags + 1);
  const prior = `1/200*(${squares(names)}) + ln(1 + 1/6.25*exp(l)^2) - l`;
  return {
    id: 'ar5',
    name: 'autoregression of five lags',
    variables: [...names, 'l'],
    expression: `${rows.length}*l + 1/2*exp(-2*l)*(${residuals(names, data)}) + ${prior}`,
    data,
  };
}

/** mesquite-logmesquite: 46 bushes, seven coefficients, flat priors; data: Gelman and Hill (2007). */
function mesquite() {
  const data = leastSquares(
    MESQUITE.map(([weight, ...rest]) => {
      const group = rest.pop();
      return [1, ...rest.map(Math.log), group, Math.log(weight)];
    }),
  );
  const names = numbered('b', 7);
  return {
    id: 'mesquite',
    name: 'mesquite bushes, all in logarithms',
    variables: [...names, 'l'],
    expression: `${MESQUITE.length - 1}*l + 1/2*exp(-2*l)*(${residuals(names, data)})`,
    data,
  };
}

/** dogs-dogs: 30 dogs learn in 25 trials; data: Solomon and Wynne (1953), without a 31st row that has no shock at all. */
function dogs() {
  const cells = new Map();
  let sums = [0, 0, 0];
  for (const row of DOGS) {
    let [avoided, shocked] = [0, 0];
    for (const mark of row) {
      const key = `${avoided} ${shocked}`;
      cells.set(key, (cells.get(key) ?? 0) + 1);
      const entries = [1, avoided, shocked];
      if (mark === '1') sums = sums.map((total, at) => total + entries[at]);
      if (mark === '1') shocked++;
      else avoided++;
    }
  }
  const table = [...cells].map(([key, count]) => [count, ...key.split(' ').map(Number)]);
  const names = numbered('b', 3);
  const rows = table.map(([count, avoided, shocked]) => {
    return `${count}*softplus(b1 + ${avoided}*b2 + ${shocked}*b3)`;
  });
  const linear = sum(names.map((name, at) => `${sums[at]}*${name}`));
  return {
    id: 'dogs',
    name: 'dogs that learn',
    variables: names,
    expression: `${sum(rows)} - (${linear}) + 1/20000*(${squares(names)})`,
    data: { table, sums },
  };
}

/** GLM_Poisson_Data-GLM_Poisson_model: a cubic of 40 years' counts of peregrines; data: Kéry and Schaub (2012), simulated. */
function peregrines() {
  const counts = PEREGRINES;
  const years = counts.map((_, at) => (at - 19.5) / Math.sqrt(410 / 3));
  const names = numbered('b', 4);
  const bounds = [20, 10, 10, 10];
  const sums = names.map((_, at) =>
    counts.reduce((total, count, n) => total + count * years[n] ** at, 0),
  );
  const [a, b, c, d] = names.map(
    (name, at) => `(${2 * bounds[at]}*sigmoid(${name}) - ${bounds[at]})`,
  );
  const rows = years.map((year) => {
    const x = text(year);
    return `exp(${a} + ${x}*(${b} + ${x}*(${c} + ${x}*${d})))`;
  });
  const linear = sum([a, b, c, d].map((name, at) => `${text(sums[at])}*${name}`));
  return {
    id: 'peregrines',
    name: 'Poisson regression of peregrines',
    variables: names,
    expression: `${sum(rows)} - (${linear}) + ${sum(names.map(slope))}`,
    data: { years, sums, bounds },
  };
}

/** dugongs_data-dugongs_model: how 27 dugongs grow; data: Ratkowsky (1983), as in the examples of BUGS. */
function dugongs() {
  const { ages, lengths } = DUGONGS;
  const rows = ages.map(
    (age, n) => `(${lengths[n]} - a + b*exp(${age}*ln(0.5 + 0.5*sigmoid(g))))^2`,
  );
  const precision = `0.5*exp(t)*(${sum(rows)}) - ${ages.length / 2}*t`;
  return {
    id: 'dugongs',
    name: 'dugongs that grow',
    variables: ['a', 'b', 'g', 't'],
    expression: `${precision} + 1/2000000*(a^2 + b^2) + ${slope('g')} + 0.0001*exp(t) - 0.0001*t`,
    data: DUGONGS,
  };
}

/** seeds_data-seeds_model: 21 plates, each with an effect of its own; data: Crowder (1978), as in the examples of BUGS. */
function seeds() {
  const { sprouted, sown, types, extracts } = SEEDS;
  const effects = numbered('b', sown.length);
  const rows = effects.map((effect, n) => {
    const parts = [types[n] && 'a1', extracts[n] && 'a2', types[n] && extracts[n] && 'a3'];
    const logit = sum(['a0', ...parts.filter(Boolean), effect]);
    return `${sown[n]}*softplus(${logit}) - ${sprouted[n]}*(${logit})`;
  });
  const fixed = ['a0', 'a1', 'a2', 'a3'];
  const scales = `0.5*exp(t)*(${squares(effects)}) - ${sown.length / 2}*t + 0.001*exp(t) - 0.001*t`;
  return {
    id: 'seeds',
    name: 'seeds on 21 plates',
    variables: [...fixed, 't', ...effects],
    expression: `${sum(rows)} + ${scales} + 1/2000000*(${squares(fixed)})`,
    data: SEEDS,
  };
}

/** surgical_data-surgical_model: 12 hospitals; data: as in the examples of BUGS. */
function surgical() {
  const { died, operated } = SURGICAL;
  const names = numbered('b', died.length);
  const rows = names.map((name, n) => `${operated[n]}*softplus(${name}) - ${died[n]}*${name}`);
  const apart = sum(names.map((name) => `(${name} - mu)^2`));
  const prior = '1/2000000*mu^2 + 0.001*exp(-v) + 0.001*v';
  return {
    id: 'surgical',
    name: 'surgery in 12 hospitals',
    variables: ['mu', 'v', ...names],
    expression: `${sum(rows)} + 0.5*exp(-v)*(${apart}) + ${died.length / 2}*v + ${prior}`,
    data: SURGICAL,
  };
}

/** rats_data-rats_model: 30 rats weighed five times; data: Gelfand and others (1990), as in the examples of BUGS. */
function rats() {
  const ages = [-14, -7, 0, 7, 14];
  const dot = (a, b) => a.reduce((total, value, at) => total + value * b[at], 0);
  const [ofMean, ofSlope] = [ages.length, dot(ages, ages)];
  const means = RATS.map((row) => dot(row, [1, 1, 1, 1, 1]) / ofMean);
  const slopes = RATS.map((row) => dot(row, ages) / ofSlope);
  const rest = RATS.reduce((total, row, n) => {
    const left = row.map((value, at) => value - means[n] - slopes[n] * ages[at]);
    return total + dot(left, left);
  }, 0);
  const [a, b] = [numbered('a', 30), numbered('b', 30)];
  const around = (names, centres) =>
    sum(names.map((name, n) => `(${name} - ${[centres].flat()[n] ?? centres})^2`));
  const misfit = `${rest} + ${ofMean}*(${around(a, means)}) + ${ofSlope}*(${around(b, slopes)})`;
  const level = (scale, count, misses) =>
    `0.5*exp(-2*${scale})*(${misses}) + ${count - 1}*${scale}`;
  const levels = [
    level('ly', 150, misfit),
    level('la', 30, around(a, 'ma')),
    level('lb', 30, around(b, 'mb')),
  ];
  return {
    id: 'rats',
    name: 'growth of 30 rats',
    variables: [...a, ...b, 'ma', 'mb', 'ly', 'la', 'lb'],
    expression: `${sum(levels)} + 1/20000*(ma^2 + mb^2)`,
    data: { means, slopes, ofMean, ofSlope, rest },
  };
}

/**
 * What least squares need of rows whose last entry is what the others explain: the triangular factor R, the
 * coordinates z, and what is left, so that the sum of squares is |R b − z|² + rest. By Gram and Schmidt, modified.
 */
function leastSquares(rows) {
  const columns = rows[0].map((_, at) => rows.map((row) => row[at]));
  const dot = (a, b) => a.reduce((total, value, at) => total + value * b[at], 0);
  const factor = [];
  for (let i = 0; i < columns.length - 1; i++) {
    const length = Math.sqrt(dot(columns[i], columns[i]));
    const axis = columns[i].map((value) => value / length);
    factor.push(columns.map((column, j) => (j < i ? 0 : j === i ? length : dot(axis, column))));
    for (let j = i + 1; j < columns.length; j++) {
      columns[j] = columns[j].map((value, at) => value - factor[i][j] * axis[at]);
    }
  }
  const left = columns.at(-1);
  return {
    factor: factor.map((row) => row.slice(0, -1)),
    coordinates: factor.map((row) => row.at(-1)),
    rest: dot(left, left),
    numRows: rows.length,
  };
}

/** The sum of squares as text. */
function residuals(names, { factor, coordinates, rest }) {
  const rows = factor.map((row, i) => {
    const fitted = names.slice(i).map((name, at) => `${text(row[i + at])}*${name}`);
    return `(${sum(fitted)} - ${text(coordinates[i])})^2`;
  });
  return `${rest} + ${sum(rows)}`;
}

/**
 * The flow of probability on all states of small Ising models, against definitions, enumeration and a plain series of the
 * matrix exponential. Models are made from seeds; nothing here is a statistical test.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from '../../dist/node.js';
import {
  energiesOf,
  flowObjective,
  neighboursOf,
  ProbabilityFlow,
  rateMatrix,
} from '../../www/lib/probability-flow.js';
import { CASES, exponential } from './flow-cases.mjs';

const EPSILON = 2 ** -52;
const TIMES = [0, 1e-9, 1e-4, 0.03, 0.5, 4, 60, 1e4];

function forEachCase(check) {
  for (const given of CASES) check(given);
}

function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

function greatestGap(a, b) {
  return Math.max(...a.map((value, n) => Math.abs(value - b[n])));
}

test('energies are xᵀJx, and a pair counts twice', () => {
  const energies = energiesOf([0.5, -2, -2, 0.25], 2);
  assert.deepEqual([...energies], [0, 0.5, 0.25, 0.75 - 4]);
});

test('single flips connect states that differ in one bit, and all flips the opposite one', () => {
  assert.deepEqual(neighboursOf(0b011, 3, false), [0b010, 0b001, 0b111]);
  assert.deepEqual(neighboursOf(0b011, 3, true), [0b010, 0b001, 0b111, 0b100]);
});

test('columns of the rates add up to 0, and they are those of (2.6)', () => {
  forEachCase(({ name, dim, allFlips, flow }) => {
    const size = 2 ** dim;
    for (let from = 0; from < size; from++) {
      let column = 0;
      for (let to = 0; to < size; to++) {
        const rate = flow.rates[to * size + from];
        column += rate;
        if (to === from) continue;
        const distance = [...(to ^ from).toString(2)].filter((bit) => bit === '1').length;
        const connected = distance === 1 || (allFlips && distance === dim);
        const expected = connected ? Math.exp((flow.energies[from] - flow.energies[to]) / 2) : 0;
        assert.equal(rate, expected, name);
      }
      assert.ok(Math.abs(column) <= 8 * EPSILON * Math.abs(flow.rates[from * size + from]), name);
    }
  });
});

test('probability stays nonnegative and adds up to 1', () => {
  forEachCase(({ name, flow, start }) => {
    for (const t of TIMES) {
      const now = flow.after(t);
      assert.ok(Math.abs(sumOf(now) - 1) <= 1e-12, `${name}, t = ${t}: ${sumOf(now) - 1}`);
      assert.ok(
        now.every((p) => p >= 0),
        `${name}, t = ${t}`,
      );
    }
    assert.deepEqual(flow.after(0), start, name);
  });
});

test('it ends at the Boltzmann distribution, by enumeration', () => {
  forEachCase(({ name, dim, couplings, flow }) => {
    const energyOf = (state) => {
      const x = Array.from({ length: dim }, (_, i) => (state >> i) & 1);
      return sumOf(x.map((a, i) => sumOf(x.map((b, j) => a * couplings[i * dim + j] * b))));
    };
    const weights = Array.from({ length: 2 ** dim }, (_, state) => Math.exp(-energyOf(state)));
    const expected = weights.map((weight) => weight / sumOf(weights));
    assert.ok(greatestGap(flow.equilibrium, expected) < 1e-14, name);
    assert.ok(Math.abs(flow.logZ - Math.log(sumOf(weights))) < 1e-13, name);
    assert.ok(greatestGap(flow.after(1e4), expected) < 1e-12, name);
  });
});

test('detailed balance', () => {
  forEachCase(({ name, dim, flow: { rates, equilibrium } }) => {
    const size = 2 ** dim;
    for (let i = 0; i < size; i++)
      for (let j = 0; j < i; j++) {
        const [there, back] = [
          rates[i * size + j] * equilibrium[j],
          rates[j * size + i] * equilibrium[i],
        ];
        assert.ok(Math.abs(there - back) <= 1e-14 * Math.max(there, back), name);
      }
  });
});

test('the flow is exp(Γt), by its series', () => {
  forEachCase(({ name, dim, allFlips, start, flow }) => {
    if (dim > 5) return;
    const size = 2 ** dim;
    const rates = rateMatrix(flow.energies, dim, allFlips);
    for (const t of [1e-4, 0.03, 0.5, 4]) {
      const matrix = exponential(rates, size, t);
      const expected = Array.from({ length: size }, (_, i) =>
        sumOf(start.map((p, j) => matrix[i * size + j] * p)),
      );
      const gap = greatestGap(flow.after(t), expected);
      assert.ok(gap < 1e-12, `${name}, t = ${t}: ${gap}`);
    }
  });
});

test('the divergence is what it says, and its slope at 0 is K without flow between data (appendix A)', () => {
  forEachCase(({ name, start, flow }) => {
    for (const t of [0.03, 0.5, 4, 60]) {
      const now = flow.after(t);
      const expected = sumOf(start.map((p, i) => (p > 0 ? p * Math.log(p / now[i]) : 0)));
      assert.ok(Math.abs(flow.divergenceAfter(t) - expected) < 1e-12, `${name}, t = ${t}`);
    }
    const slope = flow.objective(true);
    assert.ok(slope > 0, name);
    // What is left over is of second order, with a coefficient that two derivatives tell.
    const size = start.length;
    const through = (p) =>
      p.map((_, i) => sumOf(p.map((value, j) => flow.rates[i * size + j] * value)));
    const change = through(start);
    const second = through(change);
    const expected = 0.5 * sumOf(start.map((p, i) => (p > 0 ? change[i] ** 2 / p : second[i])));
    for (const [t, within] of [
      [1e-4, 0.2],
      [1e-6, 0.01],
    ]) {
      const found = (flow.divergenceAfter(t) - t * slope) / t ** 2;
      assert.ok(Math.abs(found - expected) < within * Math.abs(expected), `${name}: ${found}`);
    }
  });
});

test('where every state is data the divergence begins with t²', () => {
  const start = Float64Array.of(0.4, 0.3, 0.2, 0.1);
  const flow = new ProbabilityFlow([0.3, -1, -1, 0.8], 2, start, false);
  assert.equal(flow.objective(true), 0);
  const ratio = flow.divergenceAfter(1e-5) / flow.divergenceAfter(1e-6);
  assert.ok(Math.abs(ratio - 100) < 0.1, `${ratio}`);
});

test('K is the flow out of data states, by the columns of the rates (2.12)', () => {
  forEachCase(({ name, dim, allFlips, start, flow: { rates, energies } }) => {
    const size = 2 ** dim;
    for (const excludeData of [false, true]) {
      let expected = 0;
      for (let i = 0; i < size; i++)
        for (let j = 0; j < size; j++)
          if (i !== j && !(excludeData && start[i] > 0)) expected += rates[i * size + j] * start[j];
      const found = flowObjective(energies, start, dim, { allFlips, excludeData });
      assert.ok(Math.abs(found - expected) <= 1e-13 * expected, name);
    }
  });
});

test('nothing flows when the data are the model, to the last bit', () => {
  forEachCase(({ name, dim, allFlips, couplings, flow: { equilibrium } }) => {
    const still = new ProbabilityFlow(couplings, dim, equilibrium, allFlips);
    for (let from = 0; from < 2 ** dim; from++)
      for (const to of neighboursOf(from, dim, allFlips))
        assert.equal(Math.abs(still.netFlow(equilibrium, to, from)), 0, name);
    assert.ok(greatestGap(still.after(3), equilibrium) < 1e-14, name);
    assert.ok(still.divergenceAfter(3) < 1e-14, name);
    assert.ok(still.divergenceAtEquilibrium < 1e-14, name);
  });
});

test('net flows add up to the change of every state', () => {
  forEachCase(({ name, dim, allFlips, start, flow }) => {
    const size = 2 ** dim;
    const now = flow.after(0.2);
    for (let to = 0; to < size; to++) {
      const inflow = sumOf(
        neighboursOf(to, dim, allFlips).map((from) => flow.netFlow(now, to, from)),
      );
      const expected = sumOf(now.map((p, from) => flow.rates[to * size + from] * p));
      assert.ok(Math.abs(inflow - expected) < 1e-12, name);
    }
    assert.ok(Math.abs(sumOf(start) - 1) < 1e-15);
  });
});

test('eigenvalues but the first are negative, and both bounds of appendix C hold', () => {
  forEachCase(({ name, dim, start, flow }) => {
    const size = 2 ** dim;
    const scale = Math.abs(flow.eigenvalues.at(-1));
    assert.ok(Math.abs(flow.eigenvalues[0]) < 1e-13 * scale, name);
    assert.ok(flow.lambda2 < 0, name);
    assert.ok(
      flow.eigenvalues.every((value, n) => n === 0 || value <= flow.eigenvalues[n - 1]),
      name,
    );
    // λ₂ ≥ Γ_ii / (1 − p_i) for every state (C.24).
    for (let i = 0; i < size; i++)
      assert.ok(flow.lambda2 >= flow.rates[i * size + i] / (1 - flow.equilibrium[i]), name);
    assert.ok(flow.lambda2Bound <= flow.lambda2, name);
    const likelihood = sumOf(start.map((p, i) => (p > 0 ? p * Math.log(flow.equilibrium[i]) : 0)));
    assert.ok(flow.likelihoodBound <= likelihood, name);
  });
});

test('the bound on the likelihood says something where the model is sure', () => {
  // Nearly all of it is in the one state that is data.
  const flow = new ProbabilityFlow([9, 0, 0, 9], 2, Float64Array.of(1, 0, 0, 0), false);
  const likelihood = Math.log(flow.equilibrium[0]);
  assert.ok(flow.likelihoodBound <= likelihood && flow.likelihoodBound > likelihood - 0.1);
});

test('the slowest deviation decays as exp(λ₂t)', () => {
  const { flow } = CASES[4];
  const gapAt = (t) => greatestGap(flow.after(t), flow.equilibrium);
  const t = 12 / -flow.lambda2;
  const rate = Math.log(gapAt(t) / gapAt(t * 1.1)) / (0.1 * t);
  assert.ok(Math.abs(rate / -flow.lambda2 - 1) < 1e-3, `${rate} is not ${-flow.lambda2}`);
});

test('K, λ₂ and the bound are those of the engine', async () => {
  const engine = await createEngine({ numWorkers: 1 });
  try {
    for (const { name, dim, allFlips, couplings, start, flow } of CASES) {
      const numRows = 1000;
      const counts = start.map((p) => Math.round(numRows * p));
      const rows = [...counts].flatMap((count, state) =>
        Array.from({ length: count }, () =>
          Array.from({ length: dim }, (_, i) => (state >> i) & 1),
        ),
      );
      const data = { kind: 'rows', rows };
      const connectivity = { kind: allFlips ? 'singleAndAllFlips' : 'singleFlips' };
      const model = { kind: 'ising', dim, couplings };
      const rounded = counts.map((count) => count / rows.length);
      const same = new ProbabilityFlow(couplings, dim, rounded, allFlips);
      for (const excludeData of [false, true]) {
        const { objective } = await engine.fit({
          model,
          data,
          objective: { kind: 'mpf', connectivity, excludeData },
          optimizer: { kind: 'lbfgs', maxIterations: 0 },
          init: { kind: 'model' },
        });
        const found = same.objective(excludeData);
        assert.ok(Math.abs(found / objective - 1) < 1e-12, `${name}: ${found}, ${objective}`);
      }
      const { mpfBound, logZ } = await engine.exact({ model, data, connectivity });
      const scale = Math.abs(flow.eigenvalues.at(-1));
      assert.ok(Math.abs(mpfBound.lambda2 - same.lambda2) < 1e-12 * scale, name);
      assert.ok(Math.abs(logZ - flow.logZ) < 1e-12, name);
      const bound = same.likelihoodBound;
      assert.ok(
        bound === mpfBound.logLikelihood || Math.abs(bound - mpfBound.logLikelihood) < 1e-9,
      );
    }
  } finally {
    await engine.close();
  }
});

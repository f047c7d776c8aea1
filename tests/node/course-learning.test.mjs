/** The figures of the chapter *Learning without Z*, and what it says of them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  flow,
  leastAt,
  negativeLikelihood,
  pseudolikelihood,
} from '../../www/course/figures/three-objectives/objectives.js';
import {
  BOOK,
  couplings,
  drawEvenings,
  energies,
  guestsOf,
  logLikelihood,
  maximumLikelihood,
  meanOf,
  pairsOf,
  probabilitiesOf,
  sharesOf,
} from '../../www/course/guest-book.js';
import { energiesOf, ProbabilityFlow } from '../../www/lib/probability-flow.js';
import { createEngine } from './package.mjs';

const near = (a, b, tolerance = 1e-9) => assert.ok(Math.abs(a - b) < tolerance, `${a} and ${b}`);
const book = sharesOf(BOOK);

const engine = await createEngine();
after(() => engine.close());

test('at the best fit the means of guests and of pairs are those of the book, not the bars', () => {
  const [a, w] = maximumLikelihood(book);
  const model = probabilitiesOf(energies(a, w));
  near(meanOf(model, guestsOf), meanOf(book, guestsOf));
  near(meanOf(model, pairsOf), meanOf(book, pairsOf));
  assert.ok(model.some((p, state) => Math.abs(p - book[state]) > 0.005));
  // No other is better.
  for (const [da, dw] of [
    [0.01, 0],
    [-0.01, 0],
    [0, 0.01],
    [0, -0.01],
  ]) {
    assert.ok(logLikelihood(book, a + da, w + dw) < logLikelihood(book, a, w));
  }
});

test('the friends are an Ising model of the package', async () => {
  const [a, w] = [-1.3, 0.7];
  energiesOf(couplings(a, w), 3).forEach((energy, state) => {
    near(energy, energies(a, w)[state]);
  });
  const { logZ } = await engine.exact({
    model: { kind: 'ising', dim: 3, couplings: couplings(a, w) },
  });
  near(logZ, Math.log(energies(a, w).reduce((sum, e) => sum + Math.exp(-e), 0)));
});

test('at the fit hardly anything moves, and K is less than at a = w = 0', () => {
  const movedBy = (a, w) => {
    const now = new ProbabilityFlow(couplings(a, w), 3, book, false).after(3);
    return 0.5 * now.reduce((sum, p, state) => sum + Math.abs(p - book[state]), 0);
  };
  const [a, w] = maximumLikelihood(book);
  assert.ok(movedBy(a, w) < 0.05 && movedBy(0, 0) > 0.3);
  assert.ok(flow(book, a, w) < flow(book, 0, 0));
  near(flow(book, a, w), new ProbabilityFlow(couplings(a, w), 3, book, false).objective(false));
});

test('with many evenings all three objectives come to the truth, and from the model itself at once', () => {
  const objectives = [negativeLikelihood, pseudolikelihood, flow];
  const fitsTo = (shares) => objectives.map((of) => leastAt((w) => of(shares, -1, w), -5, 7));
  for (const w of fitsTo(sharesOf(drawEvenings(-1, 1, 100_000)))) near(w, 1, 0.02);
  for (const w of fitsTo(probabilitiesOf(energies(-1, 1)))) near(w, 1, 1e-5);
  assert.ok(fitsTo(sharesOf(drawEvenings(-1, 1, 100))).some((w) => Math.abs(w - 1) > 0.05));
});

/** The figures of the chapter *Calm and wrong* against exact values, and what the chapter says of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  errorsApart,
  estimateOf,
  NUM_PARTICLES,
  NUMS_OF_STEPS,
} from '../../www/course/figures/calm-estimates/estimates.js';
import {
  BETAS,
  drained,
  NUM_DISTRIBUTIONS,
  SHARES,
} from '../../www/course/figures/draining/drain.js';
import {
  harmonicMean,
  logEvidence,
  SEEN,
  WIDTHS,
} from '../../www/course/figures/harmonic-mean/harmonic.js';
import { annealBack, annealSurprise } from '../../www/lib/surprising-particles.js';
import {
  averageOf,
  LOG_EVIDENCE,
  LOG_EVIDENCE_WITHOUT_ONE,
  NUM_SEEN,
  STANDARD_NORMAL,
  shareOfOne,
  WIDE_START,
} from '../../www/lib/surprising-path.js';

function near(found, expected, within = 1e-9) {
  assert.ok(Math.abs(found - expected) <= within, `${found} is not ${expected}`);
}

test('the coin: −0.66 nats, 32/33 at the end, a few millionths between, and back at 0.94', () => {
  near(LOG_EVIDENCE, -0.66, 0.005);
  near(shareOfOne(1), 32 / 33, 1e-5);
  near(Math.min(...SHARES), 5.07e-6, 0.02e-6);
  near(shareOfOne(0.941), 0.5, 0.01);
  near(1e4 * Math.min(...SHARES), 0.05, 0.005);
  // A factor of 33, 3.5 nats.
  near(LOG_EVIDENCE - LOG_EVIDENCE_WITHOUT_ONE, 3.5, 0.005);
  near(Math.exp(LOG_EVIDENCE - LOG_EVIDENCE_WITHOUT_ONE), 33, 0.05);
});

test('in the middle the average of heads is lower by e^(−12.5 β(1 − β)), in each coordinate', () => {
  for (const beta of [0.2, 0.5, 0.9]) {
    const [tails, heads] = [0, 1].map((z) => averageOf(STANDARD_NORMAL, beta, z));
    near(heads.logPeak - tails.logPeak, -12.5 * beta * (1 - beta), 1e-12);
  }
  near(Math.exp(3.125 * NUM_SEEN) / 1e6, 6, 0.2);
  near(1 / shareOfOne(0.5) / 1e5, 2, 0.1);
});

test('on its way the particles lose heads, and none finds back', () => {
  const moments = drained();
  assert.equal(moments.length, NUM_DISTRIBUTIONS + 1);
  // Where p(z = 1) is large enough to be counted, the particles have it, within five standard errors.
  for (const { beta, numOnes } of moments.filter(({ beta }) => beta <= 0.1)) {
    const share = shareOfOne(beta);
    near(numOnes / NUM_PARTICLES, share, 5 * Math.sqrt((share * (1 - share)) / NUM_PARTICLES));
  }
  assert.ok(moments.slice(30).every(({ numOnes }) => numOnes === 0));
  for (const { points, numOnes } of moments) {
    const ones = points.filter((value, at) => at % 2 === 0 && value > 0);
    assert.equal(ones.length, numOnes);
    assert.ok(points.every((value, at) => at % 2 === 0 || value > 0));
  }
  // Every moment is at a β that the curve has, or it would not be drawn.
  for (const { beta } of moments) assert.ok(BETAS.includes(beta), `${beta}`);
});

test('from the standard normal the estimate is what is left without heads, ever more calmly', () => {
  const found = NUMS_OF_STEPS.map((num) => estimateOf('usual', num));
  for (const { estimate, standardError, numOnes } of found) {
    assert.equal(numOnes, 0);
    near(estimate, LOG_EVIDENCE_WITHOUT_ONE, 5 * standardError);
  }
  const [ten, hundred, thousand] = found;
  assert.equal(Math.round(thousand.ess), 489);
  near(ten.ess, 250, 5);
  assert.ok(ten.ess < hundred.ess && hundred.ess < thousand.ess);
  assert.ok(2 * 1.96 * thousand.standardError < 0.03);
  near(thousand.estimate - LOG_EVIDENCE, -3.5, 0.01);
});

test('from the wide start it is right, and the two are far apart', () => {
  for (const num of [100, 1000]) {
    const [usual, wide] = [estimateOf('usual', num), estimateOf('wide', num)];
    near(wide.estimate, LOG_EVIDENCE, 5 * wide.standardError);
    assert.ok(errorsApart(usual, wide) > 50);
  }
  near(errorsApart({ estimate: 1, standardError: 3 }, { estimate: 6, standardError: 4 }), 1);
});

test('runs back from exact draws tell: they are near the truth, and worth few', () => {
  for (const num of [100, 1000]) {
    const back = estimateOf('reverse', num);
    near(back.estimate, LOG_EVIDENCE, 5 * back.standardError);
    assert.ok(back.ess < 30);
    assert.ok(errorsApart(estimateOf('usual', num), back) > 10);
  }
  // From the wide start both ways agree with the truth, from either side.
  const settings = { start: WIDE_START, numDistributions: 100, numParticles: 4000, seed: 7 };
  for (const run of [annealSurprise, annealBack]) {
    const { estimate, standardError } = run(settings);
    near(estimate, LOG_EVIDENCE, 5 * standardError);
  }
});

test('with one step it is importance sampling', () => {
  // From the wide start, which overlaps with both explanations.
  const settings = { start: WIDE_START, numDistributions: 1, numParticles: 200_000, seed: 3 };
  const { estimate, standardError } = annealSurprise(settings);
  assert.ok(standardError < 0.1);
  near(estimate, LOG_EVIDENCE, 5 * standardError);
});

test('the evidence of one measurement is the integral of likelihood and prior', () => {
  for (const width of [0.5, 3]) {
    let sum = 0;
    for (let x = -40; x <= 40; x += 0.001) {
      sum += Math.exp(-0.5 * (x / width) ** 2 - 0.5 * (x - SEEN) ** 2);
    }
    near(logEvidence(width), Math.log((0.001 * sum) / (2 * Math.PI * width)), 1e-9);
  }
});

test('the harmonic mean is right where the prior is narrow, and blind to how wide it is', () => {
  const narrow = harmonicMean(0.3, 10_000);
  near(narrow.estimate, logEvidence(0.3), 5 * narrow.standardError);
  for (const numDraws of [100, 10_000]) {
    const [hundred, thousand] = [100, 1000].map((width) => harmonicMean(width, numDraws));
    near(hundred.estimate, thousand.estimate, 0.01);
    assert.ok(hundred.estimate - logEvidence(100) > 3);
    assert.ok(hundred.standardError < 0.2);
  }
  near(logEvidence(100) - logEvidence(10_000), Math.log(100), 0.001);
  const gap = (width) => harmonicMean(width, 10_000).estimate - logEvidence(width);
  assert.ok(gap(100) - gap(1) > 3, 'the wide one looks too good');
  assert.equal(WIDTHS[0], 0.3);
  near(WIDTHS.at(-1), 1000, 1e-9);
});

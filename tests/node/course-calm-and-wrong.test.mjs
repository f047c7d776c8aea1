/** The figures of the chapter *Calm and wrong* against exact values, and what the chapter says of them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import {
  errorsApart,
  estimateOf,
  NUM_PARTICLES,
  NUMS_OF_STEPS,
} from '../../www/course/figures/calm-estimates/estimates.js';
import { startOf } from '../../www/course/figures/choose-start/starts.js';
import {
  BETAS,
  drained,
  NUM_DISTRIBUTIONS,
  SHARES,
} from '../../www/course/figures/draining/drain.js';
import { annealBack, annealSurprise } from '../../www/lib/surprising-particles.js';
import {
  averageOf,
  LOG_EVIDENCE,
  LOG_EVIDENCE_WITHOUT_ONE,
  LOG_NORM,
  MODEL,
  NUM_SEEN,
  STANDARD_NORMAL,
  shareOfOne,
  WIDE_START,
} from '../../www/lib/surprising-path.js';
import { createEngine } from './package.mjs';

let engine;
before(async () => {
  engine = await createEngine();
});
after(() => engine?.close());

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

test('the start decides: calm and wrong, loud, or calm and right', () => {
  const usual = startOf(0, 1);
  near(usual.least, 5.07e-6, 0.05e-6);
  near(usual.off, LOG_EVIDENCE_WITHOUT_ONE - LOG_EVIDENCE, 5 * usual.standardError);
  assert.ok(usual.ess > 150);
  const between = startOf(0, 2);
  near(between.least, 0.028, 0.001);
  assert.ok(between.ess < 15, 'a few particles carry all');
  const wide = startOf(2.5, 3);
  assert.ok(wide.least > 0.49);
  near(wide.off, 0, 5 * wide.standardError);
  assert.ok(wide.ess > 100);
  assert.equal(wide.shares.length, 201);
});

test('runs back from the ends of the forward runs agree with them, and are wrong with them', async () => {
  const { forward, reverse, bounds } = await engine.logZ({
    model: MODEL,
    schedule: { kind: 'linear' },
    numChains: 200,
    numDistributions: 300,
    reverse: { start: { kind: 'forward' } },
    seed: 1,
  });
  assert.equal(bounds.boundIsCertified, false);
  for (const { logZ } of [forward, reverse]) {
    near(logZ.value - LOG_NORM, LOG_EVIDENCE_WITHOUT_ONE, 5 * logZ.standardError);
    assert.ok(logZ.standardError < 0.1);
  }
});

test('with two numbers in place of five the block of the chapter is warned', async () => {
  const page = readFileSync(
    new URL('../../www/docs/course/calm-and-wrong.md', import.meta.url),
    'utf8',
  );
  const [, block] = /```js\nimport [^\n]+\n([\s\S]*?)```/.exec(page);
  const lines = block.split('\n').filter((line) => !/createEngine|console\.log/.test(line));
  const AsyncFunction = (async () => {}).constructor;
  const run = (code) => new AsyncFunction('engine', `${code}\nreturn calm;`)(engine);
  assert.ok(lines.some((line) => line.startsWith('const num = 5;')));
  assert.deepEqual((await run(lines.join('\n'))).warnings, []);
  const two = lines.join('\n').replace('const num = 5;', 'const num = 2;');
  assert.equal((await run(two)).warnings.length, 1);
});

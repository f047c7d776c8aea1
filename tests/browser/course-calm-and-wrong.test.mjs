/** The figures of the chapter *Calm and wrong* on the built site: what they say and show is what was computed. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { errorsApart, estimateOf } from '../../www/course/figures/calm-estimates/estimates.js';
import { drained } from '../../www/course/figures/draining/drain.js';
import {
  harmonicMean,
  logEvidence,
  WIDTHS,
} from '../../www/course/figures/harmonic-mean/harmonic.js';
import { openFigure } from './course-figures.mjs';
import { openSite } from './site-under-test.mjs';

const CHAPTER = 'calm-and-wrong';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('the lanes: particles leave the mean 5 as the slider moves, and do not come back', async () => {
  const { pixels, slide, says, untilOther } = await openFigure(site, CHAPTER, 'draining');
  const moments = drained();
  await says(`${moments[0].numOnes} of 500 particles hold to it.`);
  const picture = 'Two explanations, and particles';
  const before = await pixels(picture);
  await slide('On the way, β', 5);
  assert.ok(moments[5].numOnes > 1);
  await says(`At β = 0.05 the mean 5 has the probability 0.112. ${moments[5].numOnes} of`);
  await untilOther(picture, before);
  const chart = await pixels('Probability of the mean 5');
  await slide('On the way, β', 100);
  await untilOther('Probability of the mean 5', chart);
  await says('At β = 1.00 the mean 5 has the probability 0.970. None of 500 particles hold to it.');
});

test('the estimate: steps, a second opinion and the truth', async () => {
  const { pixels, choose, says, untilOther } = await openFigure(site, CHAPTER, 'calm-estimates');
  const picture = 'ln p(all positive), with 95 % intervals';
  const worth = (kind, num) => estimateOf(kind, num).ess.toPrecision(3);
  await says(`the weights are worth ${worth('usual', 10)} of 500.`);
  const before = await pixels(picture);
  await choose('1,000', 'Steps of the bridge');
  await says(`the weights are worth ${worth('usual', 1000)} of 500.`);
  await untilOther(picture, before);
  for (const [option, kind] of [
    ['wide start', 'wide'],
    ['runs back', 'reverse'],
  ]) {
    await choose(option, 'Beside it');
    const apart = errorsApart(estimateOf('usual', 1000), estimateOf(kind, 1000));
    await says(`worth ${worth(kind, 1000)}: ${Math.round(apart)} standard errors apart.`);
  }
  const hidden = await pixels(picture);
  await choose('shown', 'The truth');
  await says('The truth is −0.662.');
  await untilOther(picture, hidden);
});

test('the harmonic mean: what it says and the truth follow both sliders', async () => {
  const { pixels, slide, says, untilOther } = await openFigure(site, CHAPTER, 'harmonic-mean');
  const picture = 'ln p(y), by the width of the prior';
  const before = await pixels(picture);
  await slide('Draws of the posterior', 4);
  await slide('Width of the prior, τ', 40);
  const said = harmonicMean(WIDTHS[40], 10_000).estimate.toFixed(2).replace('-', '−');
  const truth = logEvidence(WIDTHS[40]).toFixed(2).replace('-', '−');
  const text = await says(`With τ = 1000 and 10,000 draws the harmonic mean says ${said} ±`);
  assert.ok(text.endsWith(`The truth is ${truth}.`), text);
  await untilOther(picture, before);
});

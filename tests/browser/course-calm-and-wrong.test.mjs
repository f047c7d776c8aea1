/** The figures of the chapter *Calm and wrong* on the built site: what they say and show is what was computed. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { errorsApart, estimateOf } from '../../www/course/figures/calm-estimates/estimates.js';
import { startOf } from '../../www/course/figures/choose-start/starts.js';
import { drained } from '../../www/course/figures/draining/drain.js';
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

test('the start: the dip, the estimate and what the weights are worth follow both sliders', async () => {
  const { pixels, slide, says, untilOther } = await openFigure(site, CHAPTER, 'choose-start');
  const picture = 'Probability of heads, on a logarithmic axis';
  const expected = (mean, sd) => {
    const { off, standardError, ess } = startOf(mean, sd);
    return `The estimate is ${off < 0 ? '−' : '+'}${Math.abs(off).toFixed(2)} ± ${standardError.toFixed(2)} nats off, its weights are worth ${Math.round(ess)} of 200.`;
  };
  await says(expected(0, 1));
  const before = await pixels(picture);
  await slide('Its standard deviation', 2);
  await says(expected(0, 2));
  await untilOther(picture, before);
  await slide('Mean of the start', 2.5);
  await says(expected(2.5, 2));
});

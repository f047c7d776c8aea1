/** The figures of the chapter *Hamiltonian dynamics* on the built site: what they say and show is what was computed. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { orbitOf, VALLEYS } from '../../www/course/figures/leapfrog-orbit/orbit.js';
import { patchesOf } from '../../www/course/figures/phase-volume/phase.js';
import { chainsOf, costOfGlide } from '../../www/course/figures/walk-and-glide/chains.js';
import { openFigure } from './course-figures.mjs';
import { openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('the walk and the glide: what they covered and what a draw costs follow the sliders', async () => {
  const { pixels, slide, says, untilOther } = await openFigure(site, 'dynamics', 'walk-and-glide');
  const pictures = ['Random walk', 'Trajectories'];
  const before = await Promise.all(pictures.map((name) => pixels(name)));
  await slide('Evaluations each', 600);
  const { walk, glide } = chainsOf(600, 15);
  assert.equal(walk.numCrossings, 0);
  await says(
    `The walk has come from one end of the ridge to the other not once, the trajectories ${glide.numCrossings} times.`,
  );
  for (const [n, name] of pictures.entries()) await untilOther(name, before[n]);
  await slide('Steps in a trajectory', 1);
  await says(`the trajectories ${Math.round(costOfGlide(1))} gradients`);
  await slide('Steps in a trajectory', 59);
  await says('the trajectories thousands of gradients');
});

test('the orbit: its energy error, its acceptance and its way back', async () => {
  const { page, figure, pixels, slide, choose, says, untilOther } = await openFigure(
    site,
    'dynamics',
    'leapfrog-orbit',
  );
  const words = ({ energyError, acceptance }) =>
    `Energy error: ${energyError < 0 ? '−' : '+'}${Math.abs(energyError).toFixed(3)} nats; accepted with probability ${acceptance.toFixed(3)}.`;
  const { model, start } = VALLEYS.gaussian;
  await says(words(orbitOf(model, start, 0.2, 20)));
  const before = await pixels('The way');
  await slide('Step size, ε', 0.6);
  await says(words(orbitOf(model, start, 0.6, 20)));
  await untilOther('The way', before);
  await slide('Step size, ε', 0.7);
  await says('accepted with probability 0.000');
  await slide('Step size, ε', 0.3);
  await choose('and back', 'Time');
  await says('The way back ends at the start, but for rounding.');
  await choose('Ring', 'Valley');
  await says('20 steps of 0.30');

  // The start is dragged, and the momentum moved with the keys.
  await choose('Banana', 'Valley');
  await slide('Step size, ε', 0.1);
  const banana = VALLEYS.banana;
  await says(words(orbitOf(banana.model, banana.start, 0.1, 20)));
  const momentum = figure.getByRole('button', { name: /^Momentum/ });
  await momentum.press('ArrowUp');
  const [across, up] = banana.start.v;
  const faster = { ...banana.start, v: [across, up + 0.1] };
  await says(words(orbitOf(banana.model, faster, 0.1, 20)));
  const disc = figure.getByRole('button', { name: /^Start at −2.00, 4.00/ });
  const { x, y, width, height } = await disc.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 40, y + height / 2 + 30);
  await page.mouse.up();
  await disc.waitFor({ state: 'detached' });
  await figure.getByRole('button', { name: /^Start at/ }).waitFor();
});

test('the patch: leapfrog keeps its area, and Euler does not', async () => {
  const { pixels, slide, choose, says, untilOther } = await openFigure(
    site,
    'dynamics',
    'phase-volume',
  );
  const picture = 'Place across, momentum up';
  await says('the patch has 1.00 times its area');
  const before = await pixels(picture);
  await choose('Euler', 'Integrator');
  const { areaRatio } = patchesOf('euler', 0.5, 6);
  await says(`the patch has ${areaRatio.toFixed(2)} times its area`);
  await untilOther(picture, before);
  await choose('leapfrog', 'Integrator');
  await slide('Step size, ε', 2.1);
  await slide('Steps', 8);
  const text = await says('After 8 steps of 2.10 the patch has 1.00 times its area');
  assert.match(text, /Energy error of its middle: [1-9]\d{3} nats/);
});

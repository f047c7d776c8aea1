/** The figures of the chapter *Annealing and bounds* on the built site: what they say and show is what was computed. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { crossingOf } from '../../www/course/figures/bridge/crossing.js';
import { pathOf } from '../../www/course/figures/paths-between/paths.js';
import { runsOf } from '../../www/course/figures/two-sides/runs.js';
import { openFigure } from './course-figures.mjs';
import { openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;

test('the bridge: its estimate and the heaviest particle follow its steps, and particles are seen on their way', async () => {
  const { pixels, slide, says, untilOther } = await openFigure(site, 'annealing', 'bridge');
  const picture = 'Distributions on the way, and weighted particles';
  const expected = (numStops) => {
    const { off, heaviest } = crossingOf(numStops);
    return `the estimate of log Z is ${signed(off)} nats off. The heaviest particle carries ${Math.round(100 * heaviest)} % of the weight`;
  };
  await says(`With 1 step ${expected(1)}`);
  const one = await pixels(picture);
  await slide('Steps of the bridge, K', 60);
  await says(`With 60 steps ${expected(60)}`);
  await untilOther(picture, one);
  const end = await pixels(picture);
  await slide('How far they have come', 50);
  await untilOther(picture, end);
});

test('both sides: their means and the runs far off follow every slider', async () => {
  const { pixels, slide, says, untilOther } = await openFigure(site, 'annealing', 'two-sides');
  const picture = 'Runs by their estimate of log Z, less the truth';
  const settings = { numStops: 6, numParticles: 10, memory: 0 };
  const expected = () => {
    const runs = runsOf(settings);
    return `forward runs are ${signed(runs.meanForward)} nats off, reverse runs ${signed(runs.meanReverse)}. Of 200 forward runs ${runs.numLow} are more than 2 nats too low, and ${runs.numHigh} too high.`;
  };
  await says(expected());
  const before = await pixels(picture);
  for (const [label, name, value] of [
    ['Particles a run', 'numParticles', 1],
    ['Steps, K', 'numStops', 40],
    ['Memory of a move', 'memory', 1],
  ]) {
    await slide(label, value);
    settings[name] = value;
    await says(expected());
  }
  await untilOther(picture, before);
});

test('paths: what log weights fall short by follows path, schedule, distance and steps', async () => {
  const { pixels, slide, choose, says, untilOther } = await openFigure(
    site,
    'annealing',
    'paths-between',
  );
  const picture = 'The path, at 13 stops';
  const expected = (...args) => {
    const digits = pathOf(...args).shortfall.toPrecision(3);
    return `log weights fall short of log Z by ${digits} nats on average`;
  };
  const even = expected('geometric', 'even', 12, 50);
  await says(even);
  const before = await pixels(picture);
  await choose('of moments', 'Averages');
  await untilOther(picture, before);
  await says(even);
  await choose('equal lengths', 'Steps');
  const better = expected('momentAverages', 'equalLengths', 12, 50);
  assert.notEqual(better, even);
  await says(better);
  await slide('Distance of the ends', 20);
  await slide('Number of steps, K', 100);
  await says(expected('momentAverages', 'equalLengths', 20, 100));
});

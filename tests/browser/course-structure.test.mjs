/** The figures of the chapter *Structure*: what moves when one moves something, and what the engine finds. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { openFigure } from './course-figures.mjs';
import { openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const open = (name) => openFigure(site, 'structure', name);

test('a sequence is undone by hand, and by searches that keep one and two', async () => {
  const { figure, problems, press, choose, says } = await open('undo-a-rule');
  await says('R takes 46.9 bits');
  assert.equal(await figure.locator('button:disabled', { hasText: 'squares' }).count(), 1);
  await press('running total');
  await press('squares');
  await says('cumsum(square(R)) takes 30.3 bits, 16.6 fewer than R');
  assert.equal(await figure.locator('li').count(), 3);
  await press('Take back');
  await says('cumsum(R) takes 45.2 bits');
  await press('Search');
  await says('cumsum(square(cumsum(R))) takes 25.6 bits');
  await choose('two');
  await press('Search');
  await says('cumsum(square(nthprime(1:5))) takes 9.3 bits, 37.6 fewer than R. Next: 377.');
  const field = figure.getByRole('textbox', { name: 'Numbers' });
  await field.fill('1, 4, x');
  await field.press('Enter');
  await figure.getByText('“x” is not a whole number').waitFor();
  await field.fill('1, 4, 9');
  await field.press('Enter');
  await press('squares');
  await press('1, 2, 3, …');
  await says('Next: 16.');
  await figure.getByRole('combobox', { name: 'Sequence' }).selectOption('Powers of two');
  await says('R takes 39.6 bits');
  assert.deepEqual(problems, []);
});

test('tables are made of their factors, shuffled and sorted', async () => {
  const { figure, problems, choose, slide, press, says, pixels } = await open('made-of');
  await says('M(GMᵀ + G) + G: clusters of both');
  assert.equal(await figure.locator('canvas').count(), 4);
  const shuffled = await pixels('Table');
  await choose('sorted');
  await figure.getByRole('radio', { name: 'sorted', checked: true }).waitFor();
  const sorted = await pixels('Table');
  assert.notEqual(sorted, shuffled);
  await slide('Noise', 3);
  await says('standard deviation 3.0');
  const noisy = await pixels('Table');
  assert.notEqual(noisy, sorted);
  await press('Another table');
  assert.notEqual(await pixels('Table'), noisy);
  await figure.getByRole('combobox', { name: 'Structure' }).selectOption('G');
  await says('There is nothing to its right.');
  assert.equal(await figure.locator('canvas').count(), 1);
  assert.deepEqual(problems, []);
});

test('the engine finds co-clusters, fewer of them as noise rises, and nothing in noise', async () => {
  const { figure, problems, slide, press, says } = await open('search-a-table');
  await says('The noise has a variance of 0.1');
  await press('Search');
  await says(
    'Found: M(GMᵀ + G) + G. Level 1 gained +21.27 ± 1.05 nats a row and column. Level 2 gained +3.13 ± 0.28',
  );
  assert.equal(await figure.locator('.candidate').count(), 7);
  await slide('Noise', 2);
  await says('The noise has a variance of 1,');
  await press('Search');
  await says('Found: MG + G.');
  await slide('Noise', 3);
  await press('Search');
  await says('Found: G.');
  await figure.getByRole('combobox', { name: 'Made of' }).selectOption('Noise alone');
  await slide('Noise', 0);
  await press('Search');
  await says('Found: G.');
  assert.deepEqual(problems, []);
});

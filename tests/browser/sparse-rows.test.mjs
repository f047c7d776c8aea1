/** Ising: learn on sparse rows of the visitor's: the choice that is preset is safe, and others say what is wrong. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { digestOf, fit, LAB, openSite, press } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

/** Of sixteen units, each on in a few rows in a hundred, and then with others; the same every time. */
function sparseRows(numRows) {
  let state = 11;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: numRows }, () => {
    const rate = random() < 0.25 ? 0.09 : 0.01;
    return Array.from({ length: 16 }, () => (random() < rate ? 1 : 0));
  });
}
const csv = Buffer.from(
  `${sparseRows(5000)
    .map((row) => row.join(','))
    .join('\n')}\n`,
);

test('flow to single flips alone ends far from sparse rows and says so; what is preset does not', async () => {
  const { page, problems } = await site.page(LAB);
  await page.getByText('Ready to fit').waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'spikes.csv', mimeType: 'text/csv', buffer: csv });
  await page.getByText('spikes.csv: 5,000 rows, 16 columns').waitFor();

  const warning = page.getByText('The model finds states likely that the data do not show');
  const preset = await fit(page);
  assert.equal(await warning.count(), 0);
  await page.getByText('one bit flipped, or all').first().waitFor();

  // What the page says of a run of other settings goes when they change.
  const fitAgain = async () => {
    await press(page, 'Fit again');
    await page.getByText('Converged.').waitFor();
    return digestOf(page);
  };
  await page.getByRole('combobox', { name: 'Flow to' }).selectOption('singleFlips');
  await page.getByText('The settings have changed since this fit.').waitFor();
  assert.notEqual(await fitAgain(), preset);
  assert.equal(await warning.count(), 1);

  await page.getByRole('combobox', { name: 'Objective' }).selectOption('maximumLikelihood');
  await page.getByText('The settings have changed since this fit.').waitFor();
  assert.equal(await warning.count(), 0);
  assert.notEqual(await fitAgain(), preset);
  assert.equal(await warning.count(), 0);
  assert.deepEqual(problems, []);
});

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { packValues, readFasta } from '../../dist/formats/index.js';
import { couplingStrengths, createEngine } from '../../dist/node.js';
import { contactsOf, foldedPotts, serpentine } from '../../www/lib/folded-chain.js';
import { interrupt } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  chooseFile,
  copiedLink,
  desk,
  digestOf,
  download,
  numberOf,
  openSite,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/contacts/';
const SMALL = '#data=hairpin&letters=3&strength=1.2&rows=400&seed=3';
const MAP = 'canvas[data-picture="Contact map"]';
const FIT = {
  objective: { kind: 'pseudolikelihood' },
  regularizer: { kind: 'l2', strength: 0.01, includeBiases: true },
  optimizer: { kind: 'lbfgs', memory: 5 },
};

let site;
let engine;
before(async () => {
  site = await openSite();
  engine = await createEngine();
});
afterEach(() => site?.closePages());
after(async () => {
  await engine?.close();
  await site?.close();
});

async function open(hash = SMALL, options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByText('Ready: press Fit.').waitFor();
  return opened;
}

async function fit(page) {
  await press(page, 'Fit');
  await untilStatus(page, 'done');
  return digestOf(page);
}

/** The same as the page does with the settings of `SMALL`, in Node. */
async function inNode() {
  const places = serpentine(2, 12);
  const truth = foldedPotts(places, 3, 1.2, 3);
  const { draws } = await engine.sample({
    model: truth,
    transition: { kind: 'gibbs' },
    numChains: 400,
    numWarmup: 300,
    numDraws: 1,
    moments: false,
    seed: 3,
  });
  const { numSites, numValues } = truth;
  const model = { kind: 'potts', numSites, numValues };
  const data = { kind: 'bits', ...draws };
  return { contacts: contactsOf(places), fit: await engine.fit({ model, data, ...FIT, seed: 3 }) };
}

const strongest = (model, count, averageProductCorrection = true) =>
  couplingStrengths(model, { averageProductCorrection })
    .filter(({ i, j }) => j - i >= 3)
    .slice(0, count);

test('a fit tells the contacts that the package tells, and the code shown does, too', async () => {
  const { page, problems } = await open();
  const before = await page.locator(MAP).evaluate((canvas) => canvas.toDataURL());
  const digest = await fit(page);
  const { contacts, fit: expected } = await inNode();
  assert.equal(digest, expected.digest);
  const isContact = ({ i, j }) => contacts.some(([a, b]) => a === i && b === j);
  const told = strongest(expected.model, contacts.length);
  const numRight = told.filter(isContact).length;
  const percent = `${Math.round((100 * numRight) / contacts.length)} %`;
  assert.ok(numRight > contacts.length / 2, 'a fit that tells something');
  assert.equal(await numberOf(page, 'Right by couplings'), percent);
  const findings = await page.locator('[data-findings]').textContent();
  assert.ok(
    findings.includes(
      `Of the ${contacts.length} pairs with the strongest couplings ${numRight} are contacts, ${percent}.`,
    ),
    findings,
  );
  assert.notEqual(await page.locator(MAP).evaluate((canvas) => canvas.toDataURL()), before);

  const lines = (await outputOfCode(page)).trim().split('\n');
  assert.equal(lines[0], digest);
  assert.deepEqual(
    lines.slice(1).map((line) => line.split(' ').slice(0, 2).join(' ')),
    told.map(({ i, j }) => `${i + 1} ${j + 1}`),
  );

  // The fit stays when it is looked at in another way, and the link says how.
  await page.getByRole('radio', { name: 'Corrected' }).focus();
  await page.keyboard.press('ArrowRight');
  const plain = strongest(expected.model, contacts.length, false).filter(isContact).length;
  const plainPercent = `${Math.round((100 * plain) / contacts.length)} %`;
  assert.equal(await numberOf(page, 'Right by couplings'), plainPercent);
  await page.getByRole('slider', { name: 'Pairs told' }).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await digestOf(page), digest);
  const link = new URL(await copiedLink(page)).hash;
  assert.match(link, new RegExp(`correction=off&told=${contacts.length + 1}&.*digest=`));

  const csv = String(await download(page, 'Pairs, CSV'))
    .trim()
    .split('\n');
  assert.equal(csv[0], 'i,j,couplings,mutual information,contact');
  assert.equal(csv.length - 1, (22 * 21) / 2);
  assert.equal(csv.filter((line) => line.endsWith(',1')).length, contacts.length);
  const saved = JSON.parse(await download(page, 'Result, JSON'));
  assert.equal(saved.result.digest, digest);
  assert.equal((await download(page, 'Pictures, PNG')).subarray(1, 4).toString(), 'PNG');
  assert.deepEqual(problems, []);
});

test('a pair that is pointed at is named, with what is known of it', async () => {
  const { page } = await open();
  await fit(page);
  const { contacts } = await inNode();
  const [[i, j]] = contacts;
  const box = await page.locator(MAP).boundingBox();
  const cell = box.width / 24;
  await page.mouse.move(box.x + (j + 0.5) * cell, box.y + (i + 0.5) * cell);
  await page
    .getByText(
      new RegExp(
        `Sites ${i + 1} and ${j + 1}: a contact; number \\d+ by couplings, .*; number \\d+ by mutual information`,
      ),
    )
    .waitFor();
  await page.mouse.move(box.x + 1.5 * cell, box.y + 0.5 * cell);
  await page.getByText('Sites 1 and 2: near along the chain, so not told.').waitFor();
});

test('paused or stopped, the fit goes on to the same', async () => {
  const { page } = await open();
  await interrupt(page, 'Pause', 'Fit');
  await press(page, 'Resume');
  await untilStatus(page, 'done');
  const digest = await digestOf(page);
  const { page: stopped } = await open();
  await interrupt(stopped, 'Stop', 'Fit');
  assert.equal(await digestOf(stopped), '');
  await press(stopped, 'Continue');
  await untilStatus(stopped, 'done');
  assert.equal(await digestOf(stopped), digest);
});

test('an alignment is fitted as in Node, and one that is none is refused with what is wrong', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'unnorm-contacts-'));
  context.after(() => rm(folder, { recursive: true }));
  const { page: source } = await open(SMALL);
  await fit(source);
  const fasta = String(await download(source, 'Sequences, FASTA'));
  const { page, problems } = await open();
  await chooseFile(page, 'family.fasta', fasta);
  await page.getByText('family.fasta: 400 sequences of 24 sites').waitFor();
  assert.equal(await page.getByLabel('Coupling strength').count(), 0);
  const digest = await fit(page);
  const { values, numSites, numValues } = readFasta(new TextEncoder().encode(fasta));
  const expected = await engine.fit({
    model: { kind: 'potts', numSites, numValues },
    data: { kind: 'bits', ...packValues(values, numSites, numValues) },
    ...FIT,
    seed: 3,
  });
  assert.equal(digest, expected.digest);
  await writeFile(join(folder, 'family.fasta'), fasta);
  assert.equal((await outputOfCode(page, folder)).split('\n')[0], digest);

  // A link holds no data, but the digest they gave.
  const link = await copiedLink(page);
  const { page: other } = await site.page(LAB + new URL(link).hash);
  await other.getByText('This link was made with a file').waitFor();
  assert.ok(await other.getByRole('button', { name: 'Fit', exact: true }).isDisabled());
  await chooseFile(other, 'family.fasta', fasta);
  await other.getByText('Ready: press Fit.').waitFor();
  assert.equal(await fit(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();

  for (const [name, text, words] of [
    ['few.fasta', '>a\nACDEFGHIKL\n', '1 sequences of 10 sites; this page takes 10 to 20,000'],
    ['short.fasta', '>a\nACD\n'.repeat(12), '12 sequences of 3 sites; this page takes 8 to 100'],
    ['ragged.fasta', '>a\nACDEFGHIKL\n>b\nACD\n', 'has 3 columns where the first has 10'],
    ['plain.txt', 'hello\n', 'plain.txt'],
  ]) {
    await chooseFile(page, name, text);
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    assert.ok((await page.getByRole('alert').textContent()).includes(name));
  }
  await page.getByText('family.fasta: 400 sequences of 24 sites').waitFor();
  assert.deepEqual(problems, []);
});

test('a link brings back the settings, and what it says wrong is said', async () => {
  const { page } = await open('#data=globule&letters=9&strength=2&rows=100&correction=off&seed=5');
  await page.getByText(/letters.*whole number from 2 to 8/).waitFor();
  assert.equal(await page.getByLabel('Sequences', { exact: true }).inputValue(), 'globule');
  assert.ok(await page.getByRole('radio', { name: 'As they are' }).isChecked());
  assert.equal(await numberOf(page, 'Contacts'), '49');
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await fit(page);
  await assertSoundEverywhere(page);
});

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import {
  copiedLink,
  digestOf,
  fit,
  LAB,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

/** The lab, once it listens. */
async function openLab() {
  const opened = await site.page(LAB);
  await opened.page.getByText('Ready to fit').waitFor();
  return opened;
}

/** Rows of zeros and ones in which neighbours tend to agree; the same every time. */
function someRows(numRows, dim) {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: numRows }, () => {
    let last = random() < 0.5 ? 1 : 0;
    return Array.from({ length: dim }, () => {
      if (random() < 0.3) last = 1 - last;
      return last;
    });
  });
}

const rows = someRows(400, 9);
const csv = Buffer.from(`${rows.map((row) => row.join(',')).join('\n')}\n`);

function npyOf(values) {
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': (${values.length}, ${values[0].length}), }`;
  const padded = `${header.padEnd(117)}\n`;
  const start = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, padded.length, 0]);
  return Buffer.concat([start, Buffer.from(padded), Buffer.from(values.flat())]);
}

/** Drops a file on the page, as from the desktop. */
async function drop(page, name, content) {
  const transfer = await page.evaluateHandle(
    ([fileName, bytes]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], fileName));
      return data;
    },
    [name, [...content]],
  );
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

test('a dropped CSV and a dropped NPY of the same rows give the same digest', async () => {
  const { page, problems } = await openLab();
  await drop(page, 'rows.csv', csv);
  await page.getByText('rows.csv: 400 rows, 9 columns').waitFor();
  const digest = await fit(page);
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.equal(await page.locator('canvas[data-picture="True couplings"]').count(), 0);
  assert.equal(await page.locator('canvas[data-picture="Covariance of the data"]').count(), 1);

  await drop(page, 'rows.npy', npyOf(rows));
  await page.getByText('rows.npy: 400 rows, 9 columns').waitFor();
  assert.equal(await fit(page), digest);
  assert.deepEqual(problems, []);
});

test('a file of spins gives the digest of its bits, and is said to be of spins', async () => {
  const { page, problems } = await openLab();
  await drop(page, 'rows.csv', csv);
  await page.getByText('rows.csv: 400 rows, 9 columns').waitFor();
  const digest = await fit(page);
  const spins = rows.map((row) => row.map((bit) => 2 * bit - 1).join(','));
  await drop(page, 'spins.csv', Buffer.from(`${spins.join('\n')}\n`));
  await page.getByText('spins.csv: 400 rows, 9 columns of spins, −1 read as 0').waitFor();
  assert.equal(await fit(page), digest);
  assert.deepEqual(problems, []);
});

test('the covariance shown is that of the file', async () => {
  // Two columns that always agree, and one that is always 1: three squares of one colour, six of another.
  const { page } = await openLab();
  await drop(page, 'rows.csv', Buffer.from('0,0,1\n1,1,1\n'));
  await page.getByText('2 rows, 3 columns').waitFor();
  await page.waitForFunction(() => {
    const canvas = document.querySelector('canvas[data-picture="Covariance of the data"]');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    return pixels[0] !== pixels[8];
  });
  const colours = await page
    .locator('canvas[data-picture="Covariance of the data"]')
    .evaluate((canvas) => {
      const pixels = canvas.getContext('2d').getImageData(0, 0, 3, 3).data;
      return Array.from({ length: 9 }, (_, n) => pixels.slice(4 * n, 4 * n + 3).join(' '));
    });
  const [first, , third] = colours;
  assert.notEqual(first, third);
  assert.deepEqual(colours, [first, first, third, first, first, third, third, third, third]);
});

test('a file chosen with the button, on a lattice', async () => {
  const { page } = await openLab();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: csv });
  await page.getByText('rows.csv: 400 rows, 9 columns').waitFor();
  await page.getByRole('radio', { name: 'Lattice' }).check();
  await page.getByText('Ready to fit 21 couplings and biases to 400 rows.').waitFor();
  const before = await pixelsOf(page, 'Learned lattice');
  await fit(page);
  assert.notEqual(await pixelsOf(page, 'Learned lattice'), before);
});

const badFiles = {
  'a value other than 0 and 1': ['rows.csv', Buffer.from('0,1\n1,2\n')],
  'spins and a 0': ['rows.csv', Buffer.from('1,-1\n0,1\n')],
  'ragged rows': ['rows.csv', Buffer.from('0,1\n1\n')],
  'words in two columns': ['rows.csv', Buffer.from('no,yes\nyes,no\nno,no\n')],
  'a truncated NPY': ['rows.npy', npyOf(rows).subarray(0, 500)],
  'an empty file': ['rows.csv', Buffer.alloc(0)],
};

for (const [what, [name, content]] of Object.entries(badFiles)) {
  test(`${what}: a clear error, and the lab goes on working`, async () => {
    const { page } = await openLab();
    await page.getByText('Ready to fit').waitFor();
    await drop(page, name, content);
    const error = page.getByRole('alert');
    await error.waitFor();
    assert.match(await error.textContent(), new RegExp(name.replace('.', '\\.')));
    await drop(page, 'good.csv', csv);
    await page.getByText('good.csv: 400 rows, 9 columns').waitFor();
    assert.equal(await error.count(), 0);
    assert.match(await fit(page), /^[0-9a-f]{64}$/);
  });
}

test('a bad file leaves the result on the page as it is', async () => {
  const { page } = await site.page(`${LAB}#rows=300&pattern=lattice`);
  const digest = await fit(page);
  await drop(page, 'rows.csv', Buffer.from('0,1\n1,2\n'));
  await page.getByRole('alert').waitFor();
  assert.equal(await digestOf(page), digest);
  await page.getByText('Converged.').waitFor();
});

test('a link from a file asks for the file, and knows it again', async () => {
  const { page } = await openLab();
  await drop(page, 'rows.csv', csv);
  const digest = await fit(page);
  const link = await copiedLink(page);

  const { page: other } = await site.page(link.slice(site.url.length));
  await other.getByText('made with a file of 400 rows and 9 columns').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Fit', exact: true }).isDisabled(), true);
  await drop(other, 'renamed.npy', npyOf(rows));
  assert.equal(await fit(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();

  const { page: wrong } = await site.page(link.slice(site.url.length));
  await wrong.getByText('made with a file of 400 rows and 9 columns').waitFor();
  await drop(wrong, 'other.csv', Buffer.from('0,1\n1,0\n1,1\n'));
  await wrong.getByText('was made with another file').waitFor();
});

test('of two files dropped in a row the second stays, however long the first takes to read', async () => {
  const { page } = await openLab();
  await page.evaluate(() => {
    const { arrayBuffer } = Blob.prototype;
    const held = new Promise((resolve) => {
      globalThis.release = resolve;
    });
    Blob.prototype.arrayBuffer = async function () {
      if (this.name === 'first.csv') await held;
      return arrayBuffer.call(this);
    };
  });
  await drop(page, 'first.csv', Buffer.from('0,1\n1,0\n1,1\n'));
  await drop(page, 'second.csv', csv);
  await page.getByText('second.csv: 400 rows, 9 columns').waitFor();
  await page.evaluate(() => globalThis.release());
  assert.match(await fit(page), /^[0-9a-f]{64}$/);
  await page.getByText('second.csv: 400 rows, 9 columns').waitFor();
});

test('going back to the spin glass after a file', async () => {
  const { page } = await site.page(`${LAB}#rows=300&pattern=lattice`);
  await drop(page, 'rows.csv', csv);
  await fit(page);
  await page.getByRole('radio', { name: 'Spin glass' }).check();
  await page.locator('[data-digest=""]').waitFor({ state: 'attached' });
  await press(page, 'Fit');
  await untilStatus(page, 'done');
  assert.match(await digestOf(page), /^[0-9a-f]{64}$/);
});

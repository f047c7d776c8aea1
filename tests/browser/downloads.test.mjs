import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { fit, LAB, openSite, press, SMALL } from './site-under-test.mjs';

let site;
let page;
let digest;
before(async () => {
  site = await openSite();
  ({ page } = await site.page(LAB + SMALL));
  digest = await fit(page);
});
after(() => site?.close());

async function download(label) {
  await press(page, 'Download');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: label }).click(),
  ]);
  return { name: file.suggestedFilename(), content: await readFile(await file.path()) };
}

test('the result as JSON holds the spec, the couplings and the digest', async () => {
  const { name, content } = await download('Result, JSON');
  const result = JSON.parse(content);
  assert.equal(name, 'ising-learn.json');
  assert.equal(result.digest, digest);
  assert.deepEqual(result.spec.model, {
    kind: 'ising',
    dim: 100,
    pattern: { kind: 'lattice', numRows: 10, numCols: 10, periodic: false },
  });
  assert.equal(result.model.couplings.length, 10_000);
});

test('CSV and NPY hold the same couplings to the last bit', async () => {
  const csv = (await download('Couplings, CSV')).content.toString();
  const rows = csv
    .trimEnd()
    .split('\n')
    .map((line) => line.split(',').map(Number));
  assert.equal(rows.length, 100);
  assert.ok(rows.every((row) => row.length === 100));
  rows.forEach((row, i) => {
    row.forEach((value, j) => {
      assert.equal(value, rows[j][i]);
    });
  });

  const { content: npy } = await download('Couplings, NPY');
  assert.equal(npy.toString('latin1', 0, 8), '\x93NUMPY\x01\x00');
  const start = 10 + npy.readUInt16LE(8);
  assert.equal(start % 64, 0);
  assert.match(
    npy.toString('latin1', 10, start),
    /'descr': '<f8', 'fortran_order': False, 'shape': \(100, 100\)/,
  );
  const values = rows.flat();
  assert.equal(npy.length, start + 8 * values.length);
  values.forEach((value, n) => {
    assert.equal(npy.readDoubleLE(start + 8 * n), value);
  });
});

test('the pictures come as one PNG', async () => {
  const { content } = await download('Pictures, PNG');
  assert.equal(content.toString('latin1', 1, 4), 'PNG');
  assert.ok(content.readUInt32BE(16) > 1000 && content.readUInt32BE(20) > 1000);
});

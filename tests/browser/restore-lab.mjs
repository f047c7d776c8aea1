/** What the tests of the lab Restore share: its pages, and its energy written down once more. */

import assert from 'node:assert/strict';
import { press, untilStatus } from './site-under-test.mjs';

const LAB = 'labs/restore/';

export async function openRestore(site, hash = '', options = {}) {
  const opened = await site.page(LAB + hash, { reducedMotion: 'reduce', ...options });
  await opened.page.getByText('Ready: press').waitFor();
  return opened;
}

export async function openAndRun(site, hash, options) {
  const opened = await openRestore(site, hash, options);
  await press(opened.page, hash.includes('task=digit') ? 'Complete' : 'Restore');
  await untilStatus(opened.page, 'done');
  return opened;
}

/** A number of the table that compares the answers, as it is written there. */
export function compared(page, row, column) {
  return page.locator(`[data-number="${row}"] [data-of="${column}"]`).textContent();
}

/** 1,234.5 or −3.2 or 12.3 % as a number. */
export function plain(text) {
  return Number(text.replaceAll(',', '').replace('−', '-').replace('%', '').trim());
}

export const bitsOf = (base64) =>
  [...Buffer.from(base64, 'base64')].flatMap((byte) =>
    Array.from({ length: 8 }, (_, bit) => (byte >> bit) & 1),
  );

export const packed = (bits) =>
  Uint8Array.from({ length: bits.length / 8 }, (_, n) =>
    bits.slice(8 * n, 8 * n + 8).reduce((byte, bit, at) => byte | (bit << at), 0),
  );

/** Shares of ink at each pixel. */
export function meansOf({ bits, dim, numRows }) {
  const all = bitsOf(Buffer.from(bits));
  return Array.from({ length: dim }, (_, n) => {
    let ink = 0;
    for (let row = 0; row < numRows; row++) ink += all[row * dim + n];
    return ink / numRows;
  });
}

export const shareOff = (one, other) =>
  one.filter((pixel, n) => pixel !== other[n]).length / one.length;

function pairsOf(side) {
  return Array.from({ length: side * side }, (_, i) => [
    ...(i % side < side - 1 ? [[i, i + 1]] : []),
    ...(i + side < side * side ? [[i, i + side]] : []),
  ]).flat();
}

/** E(s) = −β Σ s_i s_j − η Σ s_i y_i, of lists of 0 and 1. */
export function energyOf(bits, { side, seen, hole, beta, eta }) {
  const spin = (n) => 2 * bits[n] - 1;
  const agreement = pairsOf(side).reduce((sum, [i, j]) => sum + spin(i) * spin(j), 0);
  const held = seen.reduce((sum, y, n) => sum + (hole[n] ? 0 : spin(n) * (2 * y - 1)), 0);
  return -beta * agreement - eta * held;
}

/** The same as a model of the package. */
export function modelOf({ side, seen, hole, beta, eta }) {
  const dim = side * side;
  const biases = seen.map((y, n) => (hole[n] ? 0 : y ? -2 * eta : 2 * eta));
  const pairs = pairsOf(side);
  for (const [i, j] of pairs) {
    biases[i] += 2 * beta;
    biases[j] += 2 * beta;
  }
  const pattern = { kind: 'lattice', numRows: side, numCols: side };
  return { kind: 'ising', dim, pattern, params: [...biases, ...pairs.map(() => -2 * beta)] };
}

/** What the download says was seen, as lists of 0 and 1. */
export function seenIn({ side, seen, hole, beta, eta }) {
  const [y, unknown] = [bitsOf(seen), bitsOf(hole)];
  assert.equal(y.length, side * side);
  return { side, seen: y, hole: unknown, beta, eta };
}

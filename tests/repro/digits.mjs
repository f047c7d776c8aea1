// Handwritten digits, and a judge of which digit a picture is: the five nearest
// training digits by Hamming distance vote.

import { readFile } from 'node:fs/promises';

/** Bytes a digit: 28×28 bits, row by row, least significant bit first. */
export const DIGIT_BYTES = 98;
export const NUM_PIXELS = 784;

const NUM_NEIGHBOURS = 5;
const NUM_CLASSES = 10;

/** The digits of www/data: `bits`, [numRows, 98] bytes, and `labels`, 0 to 9. */
export async function readDigits() {
  const read = (extension) =>
    readFile(new URL(`../../www/data/mnist-binary-9000.${extension}`, import.meta.url));
  const [bits, labels] = [await read('bits'), await read('labels')];
  /** Digits `start` to `end` − 1. */
  const slice = (start, end) => ({
    bits: new Uint8Array(bits.subarray(start * DIGIT_BYTES, end * DIGIT_BYTES)),
    labels: new Uint8Array(labels.subarray(start, end)),
  });
  return { numRows: labels.length, slice };
}

/** Rows of digits as `data` of a spec. */
export function asData(bits) {
  return { kind: 'bits', dim: NUM_PIXELS, numRows: bits.length / DIGIT_BYTES, bits };
}

/** How often each pixel is ink: what independent pixels would know. */
export function pixelMeans(bits) {
  const means = new Float64Array(NUM_PIXELS);
  const numRows = bits.length / DIGIT_BYTES;
  for (let row = 0; row < numRows; row++) {
    for (let at = 0; at < NUM_PIXELS; at++) {
      means[at] += ((bits[row * DIGIT_BYTES + (at >> 3)] >> (at & 7)) & 1) / numRows;
    }
  }
  return means;
}

/**
 * Judges pictures by the training digits.
 * @returns for each picture its class and the Hamming distance of the nearest training digit
 */
export function judge(pictures, training) {
  const [rows, known] = [words(pictures), words(training.bits)];
  const numKnown = training.labels.length;
  return Array.from({ length: rows.length / WORDS }, (_, picture) => {
    const best = Array.from({ length: NUM_NEIGHBOURS }, () => ({ distance: Infinity, label: 0 }));
    for (let digit = 0; digit < numKnown; digit++) {
      const limit = best[NUM_NEIGHBOURS - 1].distance;
      let distance = 0;
      for (let at = 0; at < WORDS && distance < limit; at++) {
        distance += numOnes(rows[picture * WORDS + at] ^ known[digit * WORDS + at]);
      }
      if (distance >= limit) continue;
      // The earlier of two equally near digits stays in front.
      let place = NUM_NEIGHBOURS - 1;
      for (; place > 0 && best[place - 1].distance > distance; place--) {
        best[place] = best[place - 1];
      }
      best[place] = { distance, label: training.labels[digit] };
    }
    const votes = new Array(NUM_CLASSES).fill(0);
    for (const { label } of best) votes[label] += 1;
    return { label: votes.indexOf(Math.max(...votes)), distance: best[0].distance };
  });
}

/** How many of each digit there are among labels. */
export function countClasses(labels) {
  const counts = new Array(NUM_CLASSES).fill(0);
  for (const label of labels) counts[label] += 1;
  return counts;
}

/** Entropy of counts, in bits: log2(10) = 3.32 if all digits are as frequent. */
export function entropyBits(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts
    .filter((count) => count > 0)
    .reduce((sum, count) => sum - (count / total) * Math.log2(count / total), 0);
}

/** 32-bit words a picture, the last one half empty. */
const WORDS = 25;

function words(bytes) {
  const rows = new Uint32Array((bytes.length / DIGIT_BYTES) * WORDS);
  for (let at = 0; at < bytes.length; at++) {
    const place = at % DIGIT_BYTES;
    rows[Math.floor(at / DIGIT_BYTES) * WORDS + (place >> 2)] |= bytes[at] << (8 * (place & 3));
  }
  return rows;
}

function numOnes(word) {
  let pairs = word - ((word >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

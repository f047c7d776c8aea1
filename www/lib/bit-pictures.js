/**
 * Square pictures of bits: row by row, packed, least significant bit first, 1 is ink. Sides are multiples of 4, so that
 * a picture is whole bytes. All in whole numbers: the same in every browser. Plain JavaScript, so that the tests run it
 * in Node.
 */

/**
 * A picture from a rule that says where there is ink.
 * @param {number} side
 * @param {(row: number, column: number) => boolean} isInk
 */
export function pictureOf(side, isInk) {
  const bits = new Uint8Array((side * side) / 8);
  for (let n = 0; n < side * side; n++) {
    if (isInk(Math.floor(n / side), n % side)) flip(bits, n);
  }
  return bits;
}

/**
 * Whether there is ink.
 * @param {Uint8Array} bits
 * @param {number} n
 */
export function isSet(bits, n) {
  return /** @type {number} */ ((bits[n >> 3] >> (n & 7)) & 1) === 1;
}

/**
 * @param {Uint8Array} bits
 * @param {number} n
 */
export function flip(bits, n) {
  bits[n >> 3] = /** @type {number} */ (bits[n >> 3]) ^ (1 << (n & 7));
}

/**
 * @param {Uint8Array} bits
 * @param {number} n
 * @param {boolean} ink
 */
export function setTo(bits, n, ink) {
  if (isSet(bits, n) !== ink) flip(bits, n);
}

/** Ones in the bits of each byte. */
const NUM_ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0;
  for (let rest = byte; rest > 0; rest &= rest - 1) count += 1;
  return count;
});

/**
 * In how many bits two pictures differ; where that is `limit` or more, a number no smaller than it.
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
export function distance(a, b, limit = Infinity) {
  let total = 0;
  for (let n = 0; n < a.length && total < limit; n++) {
    const differing = /** @type {number} */ (a[n]) ^ /** @type {number} */ (b[n]);
    total += /** @type {number} */ (NUM_ONES[differing]);
  }
  return total;
}

/**
 * The negative.
 * @param {Uint8Array} bits
 */
export function inverted(bits) {
  return bits.map((byte) => byte ^ 255);
}

/**
 * A picture at another size, of which one is a multiple of the other: enlarged point by point, or reduced, where a point
 * is ink if half of what it covers is.
 * @param {Uint8Array} bits
 * @param {number} from
 * @param {number} to
 */
export function scaled(bits, from, to) {
  if (to >= from) {
    const factor = to / from;
    return pictureOf(to, (row, column) =>
      isSet(bits, Math.floor(row / factor) * from + Math.floor(column / factor)),
    );
  }
  return reduced(bits, from, from / to, to);
}

/**
 * Squares of `factor` points taken together, in the middle of a picture of another size.
 * @param {Uint8Array} bits
 * @param {number} from Its side, a multiple of the factor.
 * @param {number} factor
 * @param {number} to
 */
export function reduced(bits, from, factor, to) {
  const inner = from / factor;
  const edge = Math.floor((to - inner) / 2);
  return pictureOf(to, (row, column) => {
    if (row < edge || column < edge || row >= edge + inner || column >= edge + inner) return false;
    const first = (row - edge) * factor * from + (column - edge) * factor;
    let ink = 0;
    for (let n = 0; n < factor * factor; n++) {
      if (isSet(bits, first + Math.floor(n / factor) * from + (n % factor))) ink += 1;
    }
    return 2 * ink >= factor * factor;
  });
}

/**
 * The middle of a larger picture, or a smaller one in the middle of an empty one.
 * @param {Uint8Array} bits
 * @param {number} from
 * @param {number} to
 */
export function framed(bits, from, to) {
  const shift = (from - to) / 2;
  return pictureOf(to, (row, column) => {
    const [r, c] = [row + shift, column + shift];
    return r >= 0 && c >= 0 && r < from && c < from && isSet(bits, r * from + c);
  });
}

/**
 * Ink where a picture in grey is darker than half of its points are. Where half or more are as bright as the brightest, or
 * as dark as the darkest, ink where it is nearer to the darkest.
 * @param {ArrayLike<number>} grey From 0 for black to 255 for white, row by row.
 */
export function darkerHalf(grey) {
  const sorted = Uint8Array.from(grey).sort();
  const [darkest, median, brightest] = [0, sorted.length >> 1, sorted.length - 1].map(
    (n) => /** @type {number} */ (sorted[n]),
  );
  const isFlat = median === darkest || median === brightest;
  const limit = isFlat ? (Number(darkest) + Number(brightest)) / 2 : Number(median);
  const side = Math.round(Math.sqrt(grey.length));
  return pictureOf(
    side,
    (row, column) => /** @type {number} */ (grey[row * side + column]) < limit,
  );
}

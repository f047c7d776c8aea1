/**
 * Letters as pictures of bits, from a font of 5×7 points of our own: text drawn by a browser differs from machine to
 * machine, and what is stored has to be the same everywhere. Plain JavaScript, so that the tests run it in Node.
 */

import { pictureOf } from './bit-pictures.js';

/** Seven lines of five points, the leftmost the greatest bit, one digit of base 32 each. */
const GLYPHS = /** @type {Readonly<Record<string, string>>} */ ({
  A: 'ehhvhhh',
  B: 'uhhuhhu',
  C: 'ehggghe',
  D: 'uhhhhhu',
  E: 'vgguggv',
  F: 'vgguggg',
  G: 'ehgnhhf',
  H: 'hhhvhhh',
  I: 'e44444e',
  J: '72222ic',
  K: 'hikokih',
  L: 'ggggggv',
  M: 'hrllhhh',
  N: 'hhpljhh',
  O: 'ehhhhhe',
  P: 'uhhuggg',
  Q: 'ehhhlid',
  R: 'uhhukih',
  S: 'fgge11u',
  T: 'v444444',
  U: 'hhhhhhe',
  V: 'hhhhha4',
  W: 'hhhllla',
  X: 'hha4ahh',
  Y: 'hhha444',
  Z: 'v1248gv',
  0: 'ehjlphe',
  1: '4c4444e',
  2: 'eh1248v',
  3: 'v2421he',
  4: '26aiv22',
  5: 'vgu11he',
  6: '68guhhe',
  7: 'v124888',
  8: 'ehhehhe',
  9: 'ehhf12c',
  '!': '4444404',
  '?': 'eh12404',
  '+': '044v440',
  '-': '000v000',
  '=': '00v0v00',
  '*': '04lel40',
});

const [COLUMNS, ROWS] = [5, 7];

/** All that can be typed. */
export const LETTERS = Object.keys(GLYPHS).join('');

/** The letters of a text in the order in which they first come; those that the font has not are left out.
 * @param {string} text
 */
export function lettersOf(text) {
  return [...new Set(text.toUpperCase())].filter((letter) => Object.hasOwn(GLYPHS, letter));
}

/**
 * A letter in the middle of a square of so many pixels, each point a square of `side / 8` of them.
 * @param {string} letter One of those of `lettersOf`.
 * @param {number} side A multiple of 8.
 */
export function letterPicture(letter, side) {
  const lines = [...(GLYPHS[letter] ?? '')].map((digit) => Number.parseInt(digit, 32));
  const scale = side / 8;
  const top = Math.floor((side - ROWS * scale) / 2);
  const left = Math.floor((side - COLUMNS * scale) / 2);
  return pictureOf(side, (row, column) => {
    const line = Math.floor((row - top) / scale);
    const point = Math.floor((column - left) / scale);
    if (line < 0 || line >= ROWS || point < 0 || point >= COLUMNS) return false;
    return (((lines[line] ?? 0) >> (COLUMNS - 1 - point)) & 1) === 1;
  });
}

// Curves with bands of error over a pair of axes, as a PNG picture.

import { encodePng } from './png.mjs';

const [WIDTH, HEIGHT] = [900, 600];
const [LEFT, RIGHT, TOP, BOTTOM] = [90, 870, 30, 540];
/** Pixels a dot of a letter. */
const DOT = 3;
/** Pixels of a dash and the gap after it, and of the dash alone. */
const [DASH_PITCH, DASH] = [12, 6];

/** Letters of 3 × 5 dots, a number of 15 bits each, the top left dot first. */
const LETTERS = new Map(
  Object.entries({
    0: 0b111101101101111,
    1: 0b010110010010111,
    2: 0b111001111100111,
    3: 0b111001111001111,
    4: 0b101101111001001,
    5: 0b111100111001111,
    6: 0b111100111101111,
    7: 0b111001001001001,
    8: 0b111101111101111,
    9: 0b111101111001111,
    '.': 0b000000000000010,
    '-': 0b000000111000000,
  }),
);

/**
 * @param {object} figure
 * @param {{ values: number[], errors?: number[], lower?: number[], upper?: number[], colour: number[],
 *   dotted?: boolean }[]} figure.curves by the x; the band is from a standard error below to one above,
 *   or from lower to upper; colours are red, green, blue, 0 to 255
 * @param {number[]} figure.x where the values are, growing, the same for all curves
 * @param {number[]} figure.xTicks where the axis below is marked
 * @param {number[]} figure.yTicks where the axis on the left is, the first its low end and the last its top
 * @param {boolean} [figure.xLog] whether the axis below is logarithmic
 * @param {boolean} [figure.yLog] whether the axis on the left is; what is not positive is then at its low end
 * @returns {Buffer} the bytes of a PNG file
 */
export function drawCurves({ curves, x: given, xTicks, yTicks, xLog = false, yLog = false }) {
  const pixels = new Uint8Array(3 * WIDTH * HEIGHT).fill(255);
  /** Mixes a colour into a pixel. */
  const dab = (column, row, colour, strength = 1) => {
    const at = 3 * (row * WIDTH + column);
    colour.forEach((value, i) => {
      pixels[at + i] = Math.round(pixels[at + i] * (1 - strength) + value * strength);
    });
  };
  const box = (left, top, width, height, colour) => {
    for (let row = top; row < top + height; row++) {
      for (let column = left; column < left + width; column++) dab(column, row, colour);
    }
  };
  const write = (value, left, top) => {
    [...String(value)].forEach((letter, place) => {
      for (let dot = 0; dot < 15; dot++) {
        if (!((LETTERS.get(letter) >> (14 - dot)) & 1)) continue;
        box(
          left + DOT * (4 * place + (dot % 3)),
          top + DOT * Math.floor(dot / 3),
          DOT,
          DOT,
          [0, 0, 0],
        );
      }
    });
  };

  const place = (isLog) => (isLog ? (value) => Math.log(value) : (value) => value);
  const [onX, onY] = [place(xLog), place(yLog)];
  const x = given.map(onX);
  const [low, high] = [yTicks[0], yTicks.at(-1)].map(onY);
  const across = (value) =>
    Math.round(LEFT + ((RIGHT - LEFT) * (onX(value) - x[0])) / (x.at(-1) - x[0]));
  const down = (value) =>
    BOTTOM -
    ((BOTTOM - TOP) * (onY(Math.max(value, yLog ? yTicks[0] : value)) - low)) / (high - low);

  for (const tick of yTicks) {
    const row = Math.round(down(tick));
    box(LEFT, row, RIGHT - LEFT, 1, [220, 220, 220]);
    const width = DOT * 4 * String(tick).length;
    write(tick, LEFT - 12 - width, row - 7);
  }
  for (const tick of xTicks) {
    const column = across(tick);
    box(column, BOTTOM, 2, 9, [0, 0, 0]);
    write(tick, column - DOT * 2 * String(tick).length, BOTTOM + 18);
  }
  box(LEFT, TOP, 2, BOTTOM - TOP, [0, 0, 0]);
  box(LEFT, BOTTOM, RIGHT - LEFT, 2, [0, 0, 0]);

  for (const { values, errors, colour, dotted = false, ...band } of curves) {
    const lower = band.lower ?? values.map((value, at) => value - errors[at]);
    const upper = band.upper ?? values.map((value, at) => value + errors[at]);
    /** Fills a column between two values. */
    const fill = (column, from, to, strength) => {
      const [top, bottom] = [Math.max(from, to), Math.min(from, to)].map(down);
      for (
        let row = Math.max(Math.round(top) - 1, TOP);
        row <= Math.min(Math.round(bottom) + 1, BOTTOM);
        row++
      ) {
        dab(column, row, colour, strength);
      }
    };
    let left = 0;
    const at = (column) => {
      const value = x[0] + ((x.at(-1) - x[0]) * (column - LEFT)) / (RIGHT - LEFT);
      while (left < x.length - 2 && x[left + 1] < value) left++;
      const part = (value - x[left]) / (x[left + 1] - x[left]);
      // Straight lines are straight on a logarithmic axis too.
      const height = (entry) => onY(yLog ? Math.max(entry, yTicks[0]) : entry);
      const between = (list) => {
        const mixed = height(list[left]) * (1 - part) + height(list[left + 1]) * part;
        return yLog ? Math.exp(mixed) : mixed;
      };
      return [values, lower, upper].map(between);
    };
    let before = values[0];
    for (let column = LEFT; column < RIGHT; column++) {
      const [value, least, most] = at(column);
      fill(column, least, most, 0.3);
      if (!dotted || column % DASH_PITCH < DASH) fill(column, before, value, 1);
      before = value;
    }
  }
  return encodePng(WIDTH, HEIGHT, pixels);
}

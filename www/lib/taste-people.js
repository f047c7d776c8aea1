/**
 * A machine of known tastes, the made-up people that it makes, and what they are asked. Plain JavaScript: the tests run it
 * in Node, and the lab shows it as code.
 */

import { words } from './random-bits.js';

/** Ratings are from 1 to so many. */
export const NUM_VALUES = 5;

/** The fewest and the most things that one person has rated. */
const [FEWEST, MOST] = [8, 20];

/**
 * The machine that makes people. Each thing says how well it is thought of, and how much each taste wants it, −2 to 2.
 * A person without a taste likes its things as much less as one who has it likes them more.
 * @param {readonly (readonly number[])[]} things
 */
export function trueMachine(things) {
  const values = [-2, -1, 0, 1, 2];
  const numHidden = things.length > 0 ? things[0].length - 1 : 0;
  const weights = [];
  for (let taste = 1; taste <= numHidden; taste++) {
    for (const thing of things)
      weights.push(...values.map((value) => 0.625 * thing[taste] * value));
  }
  const visibleBias = things.flatMap(([esteem, ...wishes]) => {
    const half = 0.3125 * wishes.reduce((sum, wish) => sum + wish, 0);
    return values.map((value) => (0.125 * esteem - half) * value - 0.25 * value * value);
  });
  return {
    kind: 'categoricalRbm',
    numSites: things.length,
    numValues: values.length,
    numHidden,
    weights: Float64Array.from(weights),
    visibleBias: Float64Array.from(visibleBias),
    hiddenBias: new Float64Array(numHidden),
  };
}

/**
 * People who have rated few things: of each complete row only some ratings are kept, so many of so many things at random.
 * Where `askedOf` is given, one rating more is taken from each, and which one is written there: of which thing.
 * @param {Uint8Array} bits Complete rows, packed, each padded to whole bytes.
 * @param {number} numRows
 * @param {number} numSites
 * @param {number} seed
 * @param {number} stream
 * @param {Uint8Array} [askedOf]
 */
export function withFewRatings(bits, numRows, numSites, seed, stream, askedOf) {
  const next = words(seed, stream);
  const width = Math.ceil((numSites * NUM_VALUES) / 8);
  const kept = new Uint8Array(numRows * width);
  for (let row = 0; row < numRows; row++) {
    const sites = Array.from({ length: numSites }, (_, site) => site);
    const numKept = FEWEST + (next() % (MOST - FEWEST + 1));
    for (let n = 0; n < numKept; n++) {
      const other = n + (next() % (numSites - n));
      const site = sites[other];
      sites[other] = sites[n];
      sites[n] = site;
      if (askedOf && n === 0) {
        askedOf[row] = site;
        continue;
      }
      for (let unit = site * NUM_VALUES; unit < (site + 1) * NUM_VALUES; unit++) {
        const place = row * width + (unit >> 3);
        kept[place] = (kept[place] ?? 0) | ((bits[place] ?? 0) & (1 << (unit & 7)));
      }
    }
  }
  return kept;
}

/**
 * How often each value of each thing was given, with one rating more of each kind so that none is 0.
 * @param {Uint8Array} bits
 * @param {number} numRows
 * @param {number} numSites
 */
export function frequencies(bits, numRows, numSites) {
  const width = Math.ceil((numSites * NUM_VALUES) / 8);
  const counts = new Array(numSites * NUM_VALUES).fill(1);
  for (let row = 0; row < numRows; row++) {
    for (let unit = 0; unit < counts.length; unit++) {
      counts[unit] += ((bits[row * width + (unit >> 3)] ?? 0) >> (unit & 7)) & 1;
    }
  }
  return counts.map((number, unit) => {
    const first = unit - (unit % NUM_VALUES);
    return number / counts.slice(first, first + NUM_VALUES).reduce((sum, one) => sum + one, 0);
  });
}

/**
 * Where the biases of the visible units start: the logarithms of those, rounded so that they are the same everywhere.
 * @param {Uint8Array} bits
 * @param {number} numRows
 * @param {number} numSites
 */
export function startingBiases(bits, numRows, numSites) {
  return Float64Array.from(frequencies(bits, numRows, numSites), (share) => {
    return Math.round(1024 * Math.log(share)) / 1024;
  });
}

import { bytesPerRow, firstRows, type PackedRows } from '../../lib/packed-rows.js';
import { NUM_VALUES, withFewRatings } from '../../lib/taste-people.js';
import { NUM_BITS, NUM_THINGS } from './catalogue.js';
import { NUM_HELD_OUT } from './machine.js';

/** The streams of random numbers by which ratings go missing. */
export const STREAMS = { training: 1, heldOut: 2 } as const;

/** Made-up people, by what they have rated. */
export interface People {
  training: PackedRows;
  /** Of those held out, a value from 1 on for each thing, 0 where there is none. */
  heldOut: Uint8Array[];
  /** The thing that each of these is asked for besides, and the true answer, from 1 on. */
  asked: Uint8Array;
  answers: Uint8Array;
}

/** Takes ratings from complete rows. */
export function peopleOf(complete: PackedRows, seed: number): People {
  const numRows = complete.numRows - NUM_HELD_OUT;
  const { training: first, heldOut: second } = STREAMS;
  const bits = withFewRatings(complete.bits, numRows, NUM_THINGS, seed, first);
  const asked = new Uint8Array(NUM_HELD_OUT);
  const rest = complete.bits.subarray(numRows * bytesPerRow(NUM_BITS));
  const known = withFewRatings(rest, NUM_HELD_OUT, NUM_THINGS, seed, second, asked);
  const rows = { dim: NUM_BITS, numRows: NUM_HELD_OUT };
  const whole = ratingsOf({ ...rows, bits: rest });
  return {
    training: firstRows({ dim: NUM_BITS, numRows, bits }, numRows),
    heldOut: ratingsOf({ ...rows, bits: known }),
    asked,
    answers: asked.map((thing, person) => whole[person]?.[thing] ?? 0),
  };
}

/** A value from 1 on for each thing, 0 where there is none, of each row. */
function ratingsOf({ numRows, dim, bits }: PackedRows): Uint8Array[] {
  const width = bytesPerRow(dim);
  return Array.from({ length: numRows }, (_, row) => {
    const ratings = new Uint8Array(NUM_THINGS);
    for (let unit = 0; unit < dim; unit++) {
      const isOn = ((bits[row * width + (unit >> 3)] ?? 0) >> (unit & 7)) & 1;
      if (isOn) ratings[Math.floor(unit / NUM_VALUES)] = (unit % NUM_VALUES) + 1;
    }
    return ratings;
  });
}

/** Rows of ratings as zeros and ones. */
export function statesOf(rows: readonly ArrayLike<number>[]): Float64Array {
  const states = new Float64Array(rows.length * NUM_BITS);
  rows.forEach((ratings, row) => {
    for (let thing = 0; thing < NUM_THINGS; thing++) {
      const rating = ratings[thing] ?? 0;
      if (rating > 0) states[row * NUM_BITS + thing * NUM_VALUES + rating - 1] = 1;
    }
  });
  return states;
}

/** The probabilities of one thing among those of all. */
export function ofThing(all: Float64Array, thing: number, row = 0): Float64Array {
  const start = row * NUM_BITS + thing * NUM_VALUES;
  return all.subarray(start, start + NUM_VALUES);
}

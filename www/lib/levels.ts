/** Numbers for the eye alone: in so many levels that their picture hardly differs. */
export interface Levels {
  /** Of each, from 0 to the most. */
  levels: Uint8Array | Uint16Array;
  /** The numbers that the first and the last level stand for. */
  low: number;
  high: number;
}

/** Levels of colours: an even number of steps, so that the middle stands for 0 where the ends are opposite. */
const MOST_COLOURS = 254;
/** Levels of places. */
const MOST_PLACES = 65_534;

/** Numbers that are shown as colours; those beyond an end are at it. */
export function asColours(values: ArrayLike<number>, low: number, high: number): Levels {
  return { levels: Uint8Array.from(values, levelIn(low, high, MOST_COLOURS)), low, high };
}

/** Numbers that are shown as places. */
export function asPlaces(values: Float64Array): Levels {
  const [low, high] = [
    values.reduce((a, b) => Math.min(a, b)),
    values.reduce((a, b) => Math.max(a, b)),
  ];
  return { levels: Uint16Array.from(values, levelIn(low, high, MOST_PLACES)), low, high };
}

export function valuesOf({ levels, low, high }: Levels): Float64Array {
  const most = levels instanceof Uint8Array ? MOST_COLOURS : MOST_PLACES;
  return Float64Array.from(levels, (level) => low + ((high - low) * level) / most);
}

function levelIn(low: number, high: number, most: number) {
  return (value: number) =>
    Math.round(most * Math.min(1, Math.max(0, (value - low) / (high - low))));
}

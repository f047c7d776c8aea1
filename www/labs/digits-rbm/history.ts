/** The course of a fit by the engine's own reports. */
export interface History {
  updates: number[];
  seconds: number[];
  objective: (number | null)[];
}

/** The course by what held-out digits say, measured now and then. */
export interface Judged {
  updates: number[];
  seconds: number[];
  /** Of the reconstruction, in nats a digit. */
  reconstruction: (number | null)[];
  /** Negative log pseudolikelihood, in nats a digit. */
  pseudolikelihood: (number | null)[];
  /** Exact log likelihood, in nats a digit; null where it cannot be had by enumeration. */
  logLikelihood: (number | null)[];
  /** log Z by enumeration, alike. */
  logZ: (number | null)[];
}

/** Columns of numbers of the same length. */
type Columns<C> = { [K in keyof C]: C[K] extends (infer T)[] ? T[] : never };
export type EntryOf<C> = { [K in keyof C]: C[K] extends (infer T)[] ? T : never };

const MAX_ENTRIES = 3000;

export function emptyHistory(): History {
  return { updates: [], seconds: [], objective: [] };
}

export function emptyJudged(): Judged {
  return {
    updates: [],
    seconds: [],
    reconstruction: [],
    pseudolikelihood: [],
    logLikelihood: [],
    logZ: [],
  };
}

/** The columns with one entry more. When they have grown long, every other earlier entry goes. */
export function extend<C extends Columns<C>>(columns: C, entry: EntryOf<C>): C {
  const names = Object.keys(entry) as (keyof C)[];
  return Object.fromEntries(
    names.map((name) => {
      const values = columns[name] as unknown[];
      const kept = values.length >= MAX_ENTRIES ? values.filter((_, n) => n % 2 === 0) : values;
      // The array itself is extended, not copied, at every report.
      kept.push(entry[name]);
      return [name, kept];
    }),
  ) as C;
}

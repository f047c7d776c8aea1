/** The course of a fit by the engine's own reports: one entry a report, the same length everywhere. */
export interface History {
  evaluations: number[];
  seconds: number[];
  objective: (number | null)[];
}

/** What patches held out have said, now and then. */
export interface Judged {
  evaluations: number[];
  seconds: number[];
  /** Mean log likelihood of the test patches, exact, in nats a patch. */
  test: number[];
}

type EntryOf<C> = { [K in keyof C]: C[K] extends (infer T)[] ? T : never };

const MAX_ENTRIES = 3000;

export const emptyHistory = (): History => ({ evaluations: [], seconds: [], objective: [] });
export const emptyJudged = (): Judged => ({ evaluations: [], seconds: [], test: [] });

/** The columns with one entry more. When they have grown long, every other earlier entry goes. */
export function extend<C extends History | Judged>(columns: C, entry: EntryOf<C>): C {
  const longer = Object.entries(entry).map(([name, value]) => {
    const values = columns[name as keyof C] as unknown[];
    const kept = values.length >= MAX_ENTRIES ? values.filter((_, n) => n % 2 === 0) : values;
    // The array itself is extended, not copied, at every report.
    kept.push(value);
    return [name, kept];
  });
  return Object.fromEntries(longer) as C;
}

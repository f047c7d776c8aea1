/** The course of a fit: one entry a report, the same length everywhere. */
export interface History {
  evaluations: number[];
  seconds: number[];
  objective: number[];
  gradNorm: number[];
  /** Mean square errors; null where the truth is not known. */
  errorAll: (number | null)[];
  errorOffDiagonal: (number | null)[];
}

export type HistoryEntry = { [K in keyof History]: History[K][number] };

const MAX_ENTRIES = 3000;

export function emptyHistory(): History {
  return {
    evaluations: [],
    seconds: [],
    objective: [],
    gradNorm: [],
    errorAll: [],
    errorOffDiagonal: [],
  };
}

/** The history with one entry more. When it has grown long, every other earlier entry goes. */
export function extend(history: History, entry: HistoryEntry): History {
  const thin = history.seconds.length >= MAX_ENTRIES;
  const longer = <T>(values: T[], value: T): T[] => {
    const kept = thin ? values.filter((_, n) => n % 2 === 0) : values;
    kept.push(value);
    return kept;
  };
  // The arrays themselves are extended, not copied, at every report.
  return {
    evaluations: longer(history.evaluations, entry.evaluations),
    seconds: longer(history.seconds, entry.seconds),
    objective: longer(history.objective, entry.objective),
    gradNorm: longer(history.gradNorm, entry.gradNorm),
    errorAll: longer(history.errorAll, entry.errorAll),
    errorOffDiagonal: longer(history.errorOffDiagonal, entry.errorOffDiagonal),
  };
}

import type { MemorizeProgress } from 'unnorm';

/** How storing went: one entry a report that brought something new. */
export interface LearningCourse {
  /** Passes over the pictures; of L-BFGS evaluations. */
  passes: number[];
  /** Flow, minimum probability flow's alone; null where there is none. */
  objective: (number | null)[];
  numStored: number[];
}

/** Beyond so many points of the curves every second one goes. */
const MAX_POINTS = 1000;

export function emptyCourse(): LearningCourse {
  return { passes: [], objective: [], numStored: [] };
}

export function extended(
  { passes, objective, numStored }: LearningCourse,
  progress: MemorizeProgress,
): LearningCourse {
  const isNew = progress.numEpochs > (passes.at(-1) ?? 0);
  const before = isNew ? passes.length : Math.max(0, passes.length - 1);
  const isLong = passes.length >= MAX_POINTS;
  const kept = <T>(values: T[]) => values.slice(0, before).filter((_, n) => !isLong || n % 2 === 0);
  return {
    passes: [...kept(passes), Math.max(1, progress.numEpochs)],
    objective: [
      ...kept(objective),
      Number.isFinite(progress.objective) ? progress.objective : null,
    ],
    numStored: [...kept(numStored), progress.numStored],
  };
}

import type {
  ContinuousResult,
  EnergiesResult,
  ExactResult,
  FitProgress,
  FitResult,
  FittedModel,
  LogZResult,
} from 'unnorm';
import type { Contestant } from './contestants.js';

/** The models that take part. */
export type PatchModel = FittedModel<
  | 'gaussian'
  | 'ica'
  | 'productOfExperts'
  | 'linearGenerative'
  | 'bilinearGenerative'
  | 'mcRbm'
  | 'gaussianRbm'
  | 'neural'
>;

/** The course of a training by the engine's reports; both of one length. */
export interface Course {
  evaluations: number[];
  objective: number[];
}

/** All that is known of a contestant. */
export interface Entry {
  readonly contestant: Contestant;
  readonly course: Course;
  /** The model so far, and in the end. */
  readonly model: PatchModel | undefined;
  readonly fit: Omit<FitResult, 'model'> | undefined;
  readonly exact: ExactResult | undefined;
  /** Energies of the test patches; not of generative models. */
  readonly energies: Float64Array | undefined;
  /** One annealing after another, each with more distributions. */
  readonly annealed: readonly LogZResult[];
  /** The same without basis functions, of a few test patches (5.25). */
  readonly zero: LogZResult | undefined;
  /** Both ways, of patches drawn from a generative model: what annealing loses. */
  readonly loss: LogZResult | undefined;
  /** [samples, components]. */
  readonly samples: Float64Array | undefined;
  /** Seconds of training, and of all the rest. */
  readonly trainingSeconds: number;
  readonly judgingSeconds: number;
  /** Why it is out. */
  readonly failure: string | undefined;
}

export function newEntry(contestant: Contestant): Entry {
  return {
    contestant,
    course: { evaluations: [], objective: [] },
    model: undefined,
    fit: undefined,
    exact: undefined,
    energies: undefined,
    annealed: [],
    zero: undefined,
    loss: undefined,
    samples: undefined,
    trainingSeconds: 0,
    judgingSeconds: 0,
    failure: undefined,
  };
}

const MAX_ENTRIES = 400;

/** An entry with what the engine tells of a training that goes on. */
export function withProgress(entry: Entry, progress: FitProgress): Entry {
  const { numEvaluations, objective } = progress;
  const { course } = entry;
  const model = progress.model as PatchModel;
  const isNew = numEvaluations > (course.evaluations.at(-1) ?? 0) && Number.isFinite(objective);
  if (!isNew) return { ...entry, model };
  return { ...entry, model, course: extended(course, numEvaluations, objective) };
}

/** The course with one report more. When it has grown long, every other earlier one goes. */
function extended({ evaluations, objective }: Course, evaluation: number, value: number): Course {
  const isLong = evaluations.length >= MAX_ENTRIES;
  const kept = (values: number[]) => (isLong ? values.filter((_, n) => n % 2 === 0) : values);
  return {
    evaluations: [...kept(evaluations), evaluation],
    objective: [...kept(objective), value],
  };
}

/** An entry with the result of a training. */
export function withFit(entry: Entry, result: FitResult): Entry {
  const { model, ...fit } = result;
  const last = entry.course.evaluations.at(-1) ?? 0;
  const course =
    result.numEvaluations > last && Number.isFinite(result.objective)
      ? extended(entry.course, result.numEvaluations, result.objective)
      : entry.course;
  return { ...entry, model: model as PatchModel, fit, course };
}

export type StepResult =
  | { kind: 'fit'; result: FitResult }
  | { kind: 'exact'; result: ExactResult }
  | { kind: 'energies'; result: EnergiesResult }
  | { kind: 'logZ'; result: LogZResult }
  | { kind: 'zero'; result: LogZResult }
  | { kind: 'loss'; result: LogZResult }
  | { kind: 'samples'; result: ContinuousResult };

/** The digests of a contestant, in the order of the code that the lab shows. */
export function digestsOf({ fit, exact, annealed, zero, loss }: Entry): string[] {
  return [fit, exact, ...annealed, zero, loss].flatMap((result) => (result ? [result.digest] : []));
}

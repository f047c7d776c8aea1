import type { LogZResult } from 'unnorm';
import { count } from '../../lib/format.js';
import { fields, PATHS, type PathId, REFERENCES, type Settings, TRAININGS } from './settings.js';

/** A run along one path that is done. All in nats. */
export interface RunMade {
  id: string;
  name: string;
  path: (typeof PATHS)[number];
  settings: Settings;
  result: LogZResult;
  seconds: number;
  /** log Z, exactly. */
  exact: number;
  /** The estimate by the chains that go forward, less the truth, and its interval. */
  off: number;
  interval: readonly [lower: number, upper: number];
  /** Whether that interval holds the truth. */
  isCovered: boolean;
  /** The bounds, less the truth. Each fails with a probability that the result tells. */
  bounds: readonly [lower: number, upper: number];
  /** Whether the truth lies within the bounds. */
  isSound: boolean;
}

export function runMade(
  settings: Settings,
  pathId: PathId,
  result: LogZResult,
  seconds: number,
  exact: number,
): RunMade {
  const { value, interval } = result.forward.logZ;
  const path = PATHS.find(({ id }) => id === pathId) ?? PATHS[0];
  const [lower, upper] = [interval.lower - exact, interval.upper - exact];
  const bounds = [
    result.bounds.lower - exact,
    (result.bounds.upper ?? Number.POSITIVE_INFINITY) - exact,
  ] as const;
  const of = nameOf(settings);
  return {
    id: `${pathId}, ${of}`,
    name: `${path.title}, ${of}`,
    path,
    settings,
    result,
    seconds,
    exact,
    off: value - exact,
    interval: [lower, upper],
    isCovered: lower <= 0 && 0 <= upper,
    bounds,
    isSound: bounds[0] <= 0 && 0 <= bounds[1],
  };
}

/** What tells a run from others: the usual settings go without saying. */
function nameOf({ hidden, training, reference, distributions, chains, seed }: Settings): string {
  return [
    `K = ${count(distributions)}`,
    ...(reference === fields.reference.initial ? [] : [REFERENCES[reference].name.toLowerCase()]),
    ...(hidden === fields.hidden.initial ? [] : [`${hidden} hidden`]),
    ...(training === fields.training.initial ? [] : [TRAININGS[training].name]),
    ...(chains === fields.chains.initial ? [] : [`${count(chains)} chains`]),
    ...(seed === fields.seed.initial ? [] : [`seed ${seed}`]),
  ].join(', ');
}

/** The runs along a path that differ from these settings in nothing but their K, ascending in it. */
export function byDistributions(
  made: readonly RunMade[],
  path: PathId,
  settings: Settings,
): RunMade[] {
  const rest = (of: Settings) => nameOf({ ...of, distributions: settings.distributions });
  return made
    .filter((run) => run.path.id === path && rest(run.settings) === rest(settings))
    .sort((a, b) => a.settings.distributions - b.settings.distributions);
}

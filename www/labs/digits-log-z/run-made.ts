import type { LogZResult } from 'unnorm';
import { count } from '../../lib/format.js';
import { fields, PATHS, type PathId, REFERENCES, type Settings, TRAININGS } from './settings.js';

/** A run along one path that is done. All in nats. */
export interface RunMade {
  id: string;
  name: string;
  /** Settings that are not the usual ones, in words. */
  rest: string;
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
  const name = `${path.title}, K = ${count(settings.distributions)}`;
  const rest = unusual(settings).join(', ');
  return {
    id: `${name}, ${rest}`,
    name,
    rest,
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

/** Those settings that are not the usual ones, but for K. */
function unusual({ hidden, training, reference, chains, seed }: Settings): string[] {
  return [
    ...(reference === fields.reference.initial ? [] : [REFERENCES[reference].name.toLowerCase()]),
    ...(hidden === fields.hidden.initial ? [] : [`${hidden} hidden`]),
    ...(training === fields.training.initial ? [] : [TRAININGS[training].name]),
    ...(chains === fields.chains.initial ? [] : [`${count(chains)} chains`]),
    ...(seed === fields.seed.initial ? [] : [`seed ${seed}`]),
  ];
}

/** The runs along a path that differ from these settings in nothing but their K, ascending in it. */
export function byDistributions(
  made: readonly RunMade[],
  path: PathId,
  settings: Settings,
): RunMade[] {
  const rest = unusual(settings).join(', ');
  return made
    .filter((run) => run.path.id === path && run.rest === rest)
    .sort((a, b) => a.settings.distributions - b.settings.distributions);
}

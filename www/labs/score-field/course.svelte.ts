import type { Network } from './field.js';
import type { Method, SetId } from './settings.js';

/** A level that has been learned. */
export interface Learned {
  /** Standard deviation. */
  noise: number;
  model: Network;
  objective: number;
  numEvaluations: number;
  seconds: number;
  digest: string;
  warnings: readonly string[];
}

/** The objective on the way, level after level of one set. */
export interface Curve {
  set: SetId;
  level: number;
  updates: number[];
  objectives: number[];
}

/** What has been learned so far, and how it came. */
export class Course {
  /** Levels of both sets. */
  #learned = $state.raw<Readonly<Record<SetId, readonly Learned[]>>>({ a: [], b: [] });
  /** As far as they are on the page. */
  curves = $state.raw<readonly Curve[]>([]);
  #kept: Curve[] = [];

  readonly numDone = $derived(this.#learned.a.length + this.#learned.b.length);

  of(set: SetId): readonly Learned[] {
    return this.#learned[set];
  }

  add(set: SetId, level: number, updates: number, objective: number): void {
    if (!Number.isFinite(objective)) return;
    let curve = this.#kept.find((one) => one.set === set && one.level === level);
    if (!curve) {
      curve = { set, level, updates: [], objectives: [] };
      this.#kept.push(curve);
    }
    if (updates <= (curve.updates.at(-1) ?? 0)) return;
    curve.updates.push(updates);
    curve.objectives.push(objective);
  }

  finish(set: SetId, learned: Learned): void {
    this.add(set, this.of(set).length, learned.numEvaluations, learned.objective);
    this.#learned = { ...this.#learned, [set]: [...this.#learned[set], learned] };
    this.publish();
  }

  publish(): void {
    this.curves = this.#kept.map((curve) => ({ ...curve }));
  }

  clear(): void {
    this.#learned = { a: [], b: [] };
    this.#kept = [];
    this.publish();
  }
}

/** What the numbers of a curve are. */
export function objectiveName(method: Method): string {
  return {
    denoising: '½ |σ∇E − n|²',
    scoreMatching: '½ |∇E|² − ∇²E',
    persistent: 'Energy of data less chains’',
  }[method];
}

import type { ChainProgress, ChainResult, ChainSpec, Engine } from 'unnorm';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';

/** Numbers of spins. */
export const SPINS = [10, 20, 30, 50, 70, 100, 140, 200] as const;
/** Numbers of sites of the model with all of its states. */
export const SITES = [2, 3, 4, 5, 6, 7, 8, 9, 10] as const;
/** β on both sides of the transition; the visitor's is a third one. */
export const FIXED_BETAS = [0.5, 1] as const;

export type Family = 'curieWeiss' | 'swendsenWang';

/** One size at one β. */
export interface Point {
  id: string;
  family: Family;
  beta: number;
  size: number;
}

/** What came of it. */
export interface Made extends Point {
  gap: number;
  /** 1 / gap, in steps. */
  relaxationTime: number;
  /** The conductance of the bottleneck. */
  conductance: number | undefined;
  digest: string;
}

/** The same model both ways: the coupling β/n of every pair gives p ∝ exp(β M² / 2n). */
export function specOf({ family, beta, size }: Point): ChainSpec {
  if (family === 'curieWeiss') {
    return {
      curieWeiss: { numSpins: size, beta },
      transition: { kind: 'singleSite', rule: 'gibbs' },
      distances: false,
    };
  }
  return {
    model: { kind: 'ising', dim: size, uniform: { coupling: beta / size } },
    transition: { kind: 'swendsenWang' },
    distances: false,
  };
}

/** Every job, quick ones first. */
export function planOf(beta: number): Point[] {
  const betas = [...new Set([...FIXED_BETAS, beta])].sort((a, b) => a - b);
  const point = (family: Family, at: number, size: number): Point => ({
    id: `${family}-${at}-${size}`,
    family,
    beta: at,
    size,
  });
  const sizes = [...new Set([...SITES, ...SPINS])].sort((a, b) => a - b);
  return [
    ...betas.flatMap((at) =>
      (at === beta ? sizes : SPINS).map((size) => point('curieWeiss', at, size)),
    ),
    ...SITES.map((size) => point('swendsenWang', beta, size)),
  ];
}

/** About what a job takes, relatively: with all states, five times more a site. */
function costOf({ family, size }: Point): number {
  return 1 + (family === 'swendsenWang' ? 5 ** (size - 6) : 0);
}

/** Relaxation times against size, one job a point. */
export class Sizes {
  made = $state.raw<readonly Made[]>([]);
  /** Points whose job has failed; the others go on. */
  failed = $state.raw<readonly { point: Point; message: string }[]>([]);
  readonly run = new RunSequence<ChainProgress, ChainResult>({
    next: () => this.#next(),
    share: () => this.#share(),
  });
  /** The point whose job was begun last. */
  #current: Point | undefined;
  readonly #beta: () => number;
  readonly #engine: () => Promise<Engine>;
  readonly plan = $derived.by(() => planOf(this.#beta()));
  readonly numEnded = $derived(this.made.length + this.failed.length);
  readonly #point: Point | undefined = $derived.by(() =>
    this.plan.find((point) => !this.#hasEnded(point)),
  );

  constructor(beta: () => number, engine: () => Promise<Engine>) {
    this.#beta = beta;
    this.#engine = engine;
  }

  start(): Promise<void> {
    this.reset();
    return this.#goOn(() => this.run.start());
  }

  continue(): Promise<void> {
    return this.#goOn(() => this.run.continue());
  }

  reset(): void {
    this.run.reset();
    this.made = [];
    this.failed = [];
  }

  /** The points of one curve. */
  of(family: Family, beta: number): Made[] {
    return this.made.filter((one) => one.family === family && one.beta === beta);
  }

  /** A job that fails is noted, and the next one is begun; one whose second try fails too ends it. */
  async #goOn(go: () => Promise<void>): Promise<void> {
    await go();
    while (this.run.status === 'failed') {
      const point = this.#current;
      const message = this.run.error?.message ?? '';
      if (!point || this.failed.some((one) => one.point.id === point.id)) return;
      this.failed = [...this.failed, { point, message }];
      await this.run.continue();
    }
  }

  #hasEnded({ id }: Point): boolean {
    return (
      this.made.some((one) => one.id === id) || this.failed.some(({ point }) => point.id === id)
    );
  }

  #next(): Launch<ChainProgress, ChainResult> | undefined {
    const point = this.#point;
    if (!point) return undefined;
    this.#current = point;
    const spec = specOf(point);
    return {
      engine: this.#engine,
      job: (engine, options) => engine.chain(spec, options),
      progressInterval: 200,
      onProgress: () => {},
      onResult: ({ gap = 0, conductance, digest }) => {
        const one = {
          ...point,
          gap,
          relaxationTime: 1 / gap,
          conductance: conductance?.value,
          digest,
        };
        this.made = [...this.made, one];
        // Its second try may have come to an end.
        this.failed = this.failed.filter((other) => other.point.id !== point.id);
      },
    };
  }

  #share(): { before: number; job: number } {
    const cost = (points: readonly Point[]) =>
      points.reduce((sum, point) => sum + costOf(point), 0);
    const whole = cost(this.plan);
    const point = this.#point;
    const before = cost(this.plan.filter((one) => this.#hasEnded(one)));
    return { before: before / whole, job: point ? costOf(point) / whole : 0 };
  }
}

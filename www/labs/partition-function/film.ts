import { KeptSteps, type Step } from '../../frame/kept-steps.js';

/** Where some chains were at one moment of their way. */
export interface Frame extends Step {
  K: number;
  beta: number;
  /** `[num, width]`: of so many chains, so many of their numbers. */
  states: Float32Array;
  width: number;
}

/** The chains of one K in one direction, on their way: moments of it, to be looked at again. */
export class Film {
  readonly #kept = new KeptSteps<Frame>(({ states }) => states.byteLength);
  #K = 0;
  #num = 0;

  /** A moment of the run with K distributions. The first one of another K begins anew. */
  add(K: number, beta: number, states: Float32Array, width: number): void {
    if (K !== this.#K) this.clear();
    this.#K = K;
    this.#kept.add({ step: ++this.#num, K, beta, states, width });
  }

  clear(): void {
    this.#kept.clear();
    this.#K = 0;
    this.#num = 0;
  }

  /** A copy of the list, as it came. */
  frames(): readonly Frame[] {
    return this.#kept.list();
  }
}

/** The moment that is nearest to a β; the newest, where none is asked for. */
export function frameAt(frames: readonly Frame[], beta: number | undefined): Frame | undefined {
  if (beta === undefined) return frames.at(-1);
  let best = frames[0];
  for (const frame of frames) {
    if (Math.abs(frame.beta - beta) < Math.abs((best?.beta ?? 0) - beta)) best = frame;
  }
  return best;
}

/** The first numbers of the first chains of `[.., dim]`. */
export function excerpt(
  states: Float64Array,
  dim: number,
  { num, width }: { num: number; width: number },
): Float32Array {
  const count = Math.min(num, states.length / dim);
  const part = new Float32Array(count * width);
  for (let chain = 0; chain < count; chain++) {
    part.set(states.subarray(chain * dim, chain * dim + width), chain * width);
  }
  return part;
}

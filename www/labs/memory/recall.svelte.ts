import type { JobHandle, RecallProgress, RecallResult } from 'unnorm';
import { Replay } from '../../frame/replay.svelte.js';
import { distance, flip } from '../../lib/bit-pictures.js';
import { real } from '../../lib/format.js';
import { lieOf, recallInOrder } from '../../lib/hopfield.js';
import { withFlips } from '../../lib/random-bits.js';
import { nearestOf } from './explore.js';
import type { Memory, MemoryLab } from './memory.svelte.js';
import { pictureAt, STREAMS } from './pictures.js';
import { flipsOf } from './rules.js';

/** A place on the way from a cue. */
interface RecallStep {
  /** Bits flipped so far. */
  step: number;
  energy: number;
}

/** The flips from a cue to where it comes to rest. */
interface Path {
  sites: ArrayLike<number>;
  /** The updates of all units that they belong to, from 0. */
  updates: ArrayLike<number>;
  /** The energies after them, in nats. */
  energies: ArrayLike<number>;
}

/** A cue and what came of it. */
export interface Recalled {
  start: Uint8Array;
  end: Uint8Array;
  /** Where all units have been updated once. */
  afterOne: Uint8Array;
  path: Path;
  /** Before every flip and after the last: the energies, and the bits that differ from the picture of the cue. */
  energies: number[];
  distances: number[] | undefined;
  /** The stored picture nearest to the end, and in how many bits it differs. */
  nearest: number;
  distance: number;
  /** What the engine says of the same cue, and whether its flips are the same; undefined until it has answered. */
  confirmed: { result: RecallResult; same: boolean } | undefined;
}

/** How long all flips are played, in milliseconds. */
const PLAY_MS = 2500;

/** Beyond so many units the engine is asked after the flips were played: handing it the couplings takes long. */
const LARGE = 1024;

/** The grid: what stands on it, and the way down from there. */
export class Recall {
  /** What stands on the grid, before it is recalled. */
  cue = $state.raw<Uint8Array>();
  /** The picture that it was made from. */
  picked = $state<number>();
  recalled = $state.raw<Recalled>();
  /** Whether the engine is still to answer. */
  busy = $state(false);
  readonly replay = new Replay<RecallStep>(
    () => 32,
    ({ energy }) => `energy ${real(energy, 5)}`,
    PLAY_MS,
  );
  readonly #lab: MemoryLab;
  #numCorrupted = 0;
  #serial = 0;
  #job: JobHandle<RecallProgress, RecallResult> | undefined;

  /** What the grid shows: the cue, or a state on the way from it. */
  readonly bits: Uint8Array | undefined = $derived.by(() => {
    const { recalled, replay } = this;
    if (!recalled) return this.cue;
    return stateAfter(recalled, replay.shown?.step ?? recalled.path.sites.length);
  });
  /** The picture that the cue was made from. */
  readonly reference: Uint8Array | undefined = $derived.by(() => {
    const pictures = this.#lab.memory?.pictures ?? this.#lab.pictures;
    const { picked } = this;
    if (!pictures || picked === undefined || picked >= pictures.rows.numRows) return undefined;
    return pictureAt(pictures, picked);
  });
  /** The number of flips at the place shown. */
  readonly shownFlips = $derived(this.recalled ? (this.replay.shown?.step ?? 0) : 0);

  constructor(lab: MemoryLab) {
    this.#lab = lab;
  }

  /** Puts a picture on the grid. */
  pick(n: number): void {
    this.reset();
    const { pictures, dim } = this.#lab;
    const isThere = pictures && n >= 0 && n < pictures.rows.numRows;
    this.picked = isThere ? n : undefined;
    this.cue = isThere ? pictureAt(pictures, n).slice() : new Uint8Array(dim / 8);
  }

  /** Puts a state on the grid; the picture it was made from stays, or is another one or none. */
  edit(bits: Uint8Array, picked: number | undefined = this.picked): void {
    this.reset();
    this.cue = bits.slice();
    this.picked = picked;
  }

  restore(bits: Uint8Array, picked: number | undefined): void {
    if (bits.length === this.#lab.dim / 8) this.edit(bits, picked);
  }

  /** Flips some bits of the picture, or, where there is none, of what stands on the grid: others at every call. */
  corrupt(): void {
    const base = this.reference ?? this.bits;
    if (!base) return;
    const { noise, seed } = this.#lab.settings;
    const { dim } = this.#lab;
    const stream = STREAMS.cues + this.#numCorrupted++;
    this.edit(withFlips(base, dim, flipsOf(noise, dim), seed, stream));
  }

  clear(): void {
    this.edit(new Uint8Array(this.#lab.dim / 8), undefined);
  }

  /** Goes down the energy from what stands on the grid. */
  async recall(): Promise<void> {
    const { memory } = this.#lab;
    const { bits, picked } = this;
    if (!memory || !bits) return;
    this.edit(bits, picked);
    const start = bits.slice();
    const serial = this.#serial;
    const { order, seed } = this.#lab.settings;
    const { dim } = memory.pictures.rows;
    this.busy = true;
    try {
      // By this page's own program, at once: to hand a large network to the engine takes longer than to recall.
      const own = order === 'inOrder' ? recallInOrder(memory.params, dim, start) : undefined;
      if (own) this.#show(memory, start, own, own.start, undefined);
      if (own && dim > LARGE) await new Promise((done) => setTimeout(done, PLAY_MS));
      const engine = await this.#lab.engine();
      if (serial !== this.#serial) return;
      this.#job = engine.recall({
        model: memory.result.model,
        cues: { kind: 'bits', dim, numRows: 1, bits: start },
        order: { kind: order },
        paths: true,
        seed,
      });
      const result = await this.#job.result;
      if (serial !== this.#serial || !result.paths) return;
      const same = own?.sites.join() === result.paths.sites.join();
      const confirmed = { result, same: own === undefined || same };
      if (own && same && this.recalled) this.recalled = { ...this.recalled, confirmed };
      else {
        const { energy } = lieOf(memory.params, dim, start);
        this.#show(memory, start, result.paths, energy, confirmed);
      }
    } catch (error) {
      if (serial === this.#serial) this.#lab.run.report(error);
    } finally {
      if (serial === this.#serial) this.busy = false;
    }
  }

  /** Forgets what was recalled; the grid is empty until something is put on it. */
  reset(): void {
    this.#serial++;
    this.#job?.cancel();
    this.#job = undefined;
    this.busy = false;
    this.recalled = undefined;
    this.cue = undefined;
    this.replay.clear();
  }

  #show(
    memory: Memory,
    start: Uint8Array,
    path: Path,
    energy: number,
    confirmed: Recalled['confirmed'],
  ): void {
    const numFlips = path.sites.length;
    const energies = [energy, ...Array.from(path.energies)];
    const numFirst = Array.from(path.updates).filter((update) => update === 0).length;
    const end = stateAfter({ start, path }, numFlips);
    this.recalled = {
      start,
      end,
      afterOne: stateAfter({ start, path }, numFirst),
      path,
      energies,
      distances: this.reference && distancesAlong(start, path, this.reference),
      ...nearestOf(memory.pictures, end),
      confirmed,
    };
    this.replay.clear();
    energies.forEach((after, step) => {
      this.replay.add({ step, energy: after });
    });
    this.replay.publish();
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) this.replay.play();
  }
}

function stateAfter(
  { start, path }: Pick<Recalled, 'start' | 'path'>,
  numFlips: number,
): Uint8Array {
  const bits = start.slice();
  for (let n = 0; n < numFlips; n++) flip(bits, path.sites[n] as number);
  return bits;
}

function distancesAlong(start: Uint8Array, { sites }: Path, picture: Uint8Array): number[] {
  const differs = start.map((byte, n) => byte ^ (picture[n] as number));
  let left = distance(start, picture);
  const distances = [left];
  for (let n = 0; n < sites.length; n++) {
    const site = sites[n] as number;
    left += ((differs[site >> 3] as number) >> (site & 7)) & 1 ? -1 : 1;
    flip(differs, site);
    distances.push(left);
  }
  return distances;
}

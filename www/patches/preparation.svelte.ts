import { type Engine, UnnormError } from 'unnorm';
import { keyOfPatches, type PatchChoice } from './choice.js';
import type { GreyPicture } from './decode.js';
import type { Prepared } from './patches.js';
import { prepare } from './prepare.js';

/** Milliseconds after a change before patches are cut anew. */
const TYPING_PAUSE = 150;

/** The patches of the settings of the moment: cut by the engine whenever those change, and shown on the way to the fit. */
export class Preparation {
  /** The newest patches; while others are on their way, still those of before. */
  prepared = $state.raw<Prepared>();
  isUnderWay = $state(false);
  readonly #engine: () => Promise<Engine>;
  readonly #pictures: (choice: PatchChoice) => Promise<readonly GreyPicture[]>;
  readonly #onError: (error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #serial = 0;
  #wanted = '';
  #end = new AbortController();
  /** Who waits for the patches that are under way. */
  #waiting: { take: (prepared: Prepared) => void; fail: (error: unknown) => void }[] = [];

  constructor(
    engine: () => Promise<Engine>,
    pictures: (choice: PatchChoice) => Promise<readonly GreyPicture[]>,
    onError: (error: unknown) => void,
  ) {
    this.#engine = engine;
    this.#pictures = pictures;
    this.#onError = onError;
  }

  /** Cuts these patches when the typing pauses. */
  want(choice: PatchChoice): void {
    const key = keyOfPatches(choice);
    if (key === this.#wanted) return;
    const serial = this.cancel();
    this.#wanted = key;
    if (key === this.prepared?.key) return;
    this.isUnderWay = true;
    this.#timer = setTimeout(() => void this.#go(serial, choice), TYPING_PAUSE);
  }

  /** The patches last wanted, once they are here. */
  ready(): Promise<Prepared> {
    if (this.prepared && !this.isUnderWay) return Promise.resolve(this.prepared);
    return new Promise((take, fail) => this.#waiting.push({ take, fail }));
  }

  /** Ends what is under way. */
  cancel(): number {
    this.#fail(new UnnormError('aborted', 'Other patches were asked for.'));
    clearTimeout(this.#timer);
    this.#end.abort();
    this.#end = new AbortController();
    this.#wanted = '';
    this.isUnderWay = false;
    return ++this.#serial;
  }

  async #go(serial: number, choice: PatchChoice): Promise<void> {
    const mine = () => serial === this.#serial;
    try {
      const pictures = await this.#pictures(choice);
      const engine = await this.#engine();
      if (!mine()) return;
      const { signal } = this.#end;
      const prepared = await prepare(engine, choice, pictures, signal);
      if (!mine()) return;
      this.prepared = prepared;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const { take } of waiting) take(prepared);
    } catch (error) {
      if (!mine()) return;
      this.#fail(error);
      // The next change may be back to these settings, and fare better.
      this.#wanted = '';
      this.#onError(error);
    } finally {
      if (mine()) this.isUnderWay = false;
    }
  }

  #fail(error: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { fail } of waiting) fail(error);
  }
}

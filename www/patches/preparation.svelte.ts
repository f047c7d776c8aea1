import type { Engine } from 'unnorm';
import { keyOfPatches, type PatchChoice } from './choice.js';
import type { GreyPicture } from './decode.js';
import { exactLogLikelihood } from './exact-likelihood.js';
import { type Prepared, patchesSpec } from './patches.js';

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
    this.#timer = setTimeout(() => void this.#go(serial, key, choice), TYPING_PAUSE);
  }

  /** Ends what is under way. */
  cancel(): number {
    clearTimeout(this.#timer);
    this.#end.abort();
    this.#end = new AbortController();
    this.#wanted = '';
    this.isUnderWay = false;
    return ++this.#serial;
  }

  async #go(serial: number, key: string, choice: PatchChoice): Promise<void> {
    const mine = () => serial === this.#serial;
    try {
      const pictures = await this.#pictures(choice);
      const engine = await this.#engine();
      if (!mine()) return;
      const { signal } = this.#end;
      const result = await engine.patches(patchesSpec(choice, pictures), { signal });
      const dim = result.transform.scales.length;
      if (dim < choice.components) {
        throw new Error(
          `The patches of these pictures vary in ${dim} directions only: keep so many components, or take other pictures.`,
        );
      }
      const model = { kind: 'gaussian', dim } as const;
      const training = await exactLogLikelihood(model, result.states, engine, signal);
      const test = await exactLogLikelihood(model, result.testStates, engine, signal);
      if (mine()) this.prepared = { key, pictures, result, gaussian: { training, test } };
    } catch (error) {
      if (!mine()) return;
      // The next change may be back to these settings, and fare better.
      this.#wanted = '';
      this.#onError(error);
    } finally {
      if (mine()) this.isUnderWay = false;
    }
  }
}

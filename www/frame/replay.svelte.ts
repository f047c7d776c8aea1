import { count } from '../lib/format.js';
import { t } from '../lib/language.js';
import { KeptSteps, type Step } from './kept-steps.js';

/** How long it takes to play all steps, however many they are, where a lab does not say. */
const PLAY_MS = 6000;

/**
 * The steps of a run, to be looked at again during and after it. A lab adds every step it hears of, publishes them at
 * the pace of its pictures, and draws `shown`. Nothing plays unless it is asked to.
 */
export class Replay<S extends Step> {
  /** The steps there are to look at, ascending. */
  steps = $state.raw<readonly S[]>([]);
  playing = $state(false);
  /** The step someone chose; none follows the run, and stays with the last step when it has ended. */
  #chosen = $state.raw<S>();
  readonly #kept: KeptSteps<S>;
  readonly #describe: (step: S) => string;
  readonly #playMs: number;

  readonly followsRun = $derived(this.#chosen === undefined);
  readonly shown = $derived(this.#chosen ?? this.steps.at(-1));
  /** Where `shown` is among the steps. A chosen one may have been thinned out since; then it is the one before it. */
  readonly index = $derived.by(() => {
    const { shown } = this;
    if (!shown) return 0;
    return Math.max(0, this.steps.filter(({ step }) => step <= shown.step).length - 1);
  });
  /** Step 12 of 43. */
  readonly place = $derived(
    this.shown
      ? t('Step {number} of {total}', {
          number: count(this.shown.step),
          total: count(this.steps.at(-1)?.step ?? 0),
        })
      : '',
  );
  /** Step 12 of 43, K = 46.47. */
  readonly text = $derived.by(() =>
    this.shown ? `${this.place}, ${this.#describe(this.shown)}` : '',
  );

  /** `sizeOf` gives about the bytes that a step takes, `describe` its number of note with its symbol. */
  constructor(sizeOf: (step: S) => number, describe: (step: S) => string, playMs = PLAY_MS) {
    this.#kept = new KeptSteps(sizeOf);
    this.#describe = describe;
    this.#playMs = playMs;
  }

  /** Keeps a step. It shows with the next `publish`. */
  add(step: S): void {
    this.#kept.add(step);
  }

  publish(): void {
    this.steps = this.#kept.list();
  }

  clear(): void {
    this.playing = false;
    this.#chosen = undefined;
    this.#kept.clear();
    this.publish();
  }

  /** Shows the step at this place among the steps and stops playing. */
  choose(index: number): void {
    this.playing = false;
    this.#show(index);
  }

  /** Plays from the step shown to the last, or from the first when the last is shown. */
  play(): void {
    if (this.playing || this.steps.length < 2) return;
    this.playing = true;
    let share = this.followsRun ? 0 : this.index / (this.steps.length - 1);
    let before: number | undefined;
    const tick = (now: number) => {
      if (!this.playing) return;
      share += (now - (before ?? now)) / this.#playMs;
      before = now;
      this.#show(Math.floor(share * (this.steps.length - 1)));
      if (share < 1) requestAnimationFrame(tick);
      else this.playing = false;
    };
    requestAnimationFrame(tick);
  }

  pause(): void {
    this.playing = false;
  }

  #show(index: number): void {
    this.#chosen = index < this.steps.length - 1 ? this.steps[index] : undefined;
  }
}

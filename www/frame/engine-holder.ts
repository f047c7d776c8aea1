import { createEngine, type Engine } from 'unnorm';

/** The engine of one lab, made when it is first needed and made anew when its options change. */
export class EngineHolder {
  #options = '';
  #engine: Promise<Engine> | undefined;

  /** The engine with these options. An engine with other options is closed, and its jobs end. */
  with(numWorkers: number, { gpu = false } = {}): Promise<Engine> {
    const options = JSON.stringify({ numWorkers, gpu });
    if (this.#engine && this.#options === options) return this.#engine;
    this.close();
    const engine = createEngine({ numWorkers, gpu });
    this.#engine = engine;
    this.#options = options;
    // One that could not be made is not kept: the next try may fare better.
    engine.catch(() => {
      if (this.#engine === engine) this.#engine = undefined;
    });
    return engine;
  }

  close(): void {
    const engine = this.#engine;
    this.#engine = undefined;
    engine?.then((made) => made.close()).catch(() => {});
  }
}

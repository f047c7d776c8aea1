import { createEngine, type Engine } from 'unnorm';

/** The engine of one lab, made when it is first needed and made anew when the number of workers changes. */
export class EngineHolder {
  #numWorkers = 0;
  #engine: Promise<Engine> | undefined;

  /** The engine with so many workers. One with another number is closed, and jobs still on it end. */
  with(numWorkers: number): Promise<Engine> {
    if (this.#engine && this.#numWorkers === numWorkers) return this.#engine;
    this.close();
    const engine = createEngine({ numWorkers });
    this.#engine = engine;
    this.#numWorkers = numWorkers;
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

/** Draws that the traces show. */
const LENGTH = 1500;

/** The last draws of a run, for the traces. */
export interface Trace {
  /** Which draw of the run each is, from 1. */
  draws: readonly number[];
  /** Energy per site in units of the coupling. */
  energies: readonly number[];
  /** Σ s / D, with its sign. */
  spins: readonly number[];
  /** The exact mean energy and magnetization at the temperature of each draw; null with a field. */
  exactEnergies: readonly (number | null)[];
  exactSpins: readonly (number | null)[];
}

type Columns = { [Name in keyof Trace]: Trace[Name][number] };

/** Collects the last draws; cheap to add to, and read a few times a second. */
export class TraceKeeper {
  #rows: Columns[] = [];
  #numDraws = 0;

  get numDraws(): number {
    return this.#numDraws;
  }

  add(row: Omit<Columns, 'draws'>): void {
    this.#numDraws += 1;
    this.#rows.push({ draws: this.#numDraws, ...row });
    // In large steps: to shift an array for every draw would cost more than to draw it.
    if (this.#rows.length > 2 * LENGTH) this.#rows = this.#rows.slice(-LENGTH);
  }

  /** Draws that were taken and not seen. */
  skip(numDraws: number): void {
    this.#numDraws += numDraws;
  }

  clear(): void {
    this.#rows = [];
    this.#numDraws = 0;
  }

  read(): Trace {
    const rows = this.#rows.slice(-LENGTH);
    return {
      draws: rows.map(({ draws }) => draws),
      energies: rows.map(({ energies }) => energies),
      spins: rows.map(({ spins }) => spins),
      exactEnergies: rows.map(({ exactEnergies }) => exactEnergies),
      exactSpins: rows.map(({ exactSpins }) => exactSpins),
    };
  }
}

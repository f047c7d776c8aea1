/** Powers of a matrix, squared so often: T, T², T⁴, … */
type Squares = Float64Array[];

/**
 * The distribution δ_i Tᵗ of a chain begun in one state, after any number of steps: the bits of t say which squares of T
 * it is multiplied by.
 */
export class Evolution {
  readonly #size: number;
  readonly #squares: Squares;

  constructor(matrix: ArrayLike<number>) {
    this.#size = Math.sqrt(matrix.length);
    this.#squares = [Float64Array.from(matrix)];
  }

  after(start: number, numSteps: number): Float64Array {
    let now = new Float64Array(this.#size);
    now[start] = 1;
    for (let power = 0, left = numSteps; left > 0; power++, left = Math.floor(left / 2)) {
      if (left % 2 === 1) now = this.#times(now, this.#square(power), 1);
    }
    return now;
  }

  #square(power: number): Float64Array {
    const known = this.#squares[power];
    if (known) return known;
    const root = this.#square(power - 1);
    const made = this.#times(root, root, this.#size);
    this.#squares[power] = made;
    return made;
  }

  /** So many rows times a matrix. */
  #times(rows: Float64Array, matrix: Float64Array, numRows: number): Float64Array<ArrayBuffer> {
    const size = this.#size;
    const product = new Float64Array(numRows * size);
    for (let row = 0; row < numRows; row++) {
      for (let i = 0; i < size; i++) {
        const weight = rows[row * size + i] ?? 0;
        if (weight === 0) continue;
        for (let j = 0; j < size; j++) {
          const at = row * size + j;
          product[at] = (product[at] ?? 0) + weight * (matrix[i * size + j] ?? 0);
        }
      }
    }
    return product;
  }
}

/** The distance in total variation: half of the sum of the differences. */
export function distanceOf(p: ArrayLike<number>, q: ArrayLike<number>): number {
  return 0.5 * Array.from(p).reduce((sum, value, n) => sum + Math.abs(value - (q[n] ?? 0)), 0);
}

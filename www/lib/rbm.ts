/**
 * What can be told of a restricted Boltzmann machine and some binary images without an engine: the conditional
 * probabilities of its two sides, reconstructions, energies and pseudolikelihoods. With E(v, h) = −cᵀv − bᵀh − hᵀWv,
 *
 *     E(v) = −cᵀv − Σ_j softplus(a_j),   a = b + Wv,   p(h_j = 1 | v) = σ(a_j),   p(v_i = 1 | h) = σ(c_i + Σ_j h_j W_ji).
 *
 * Everything here is for pictures and for held-out rows; what is fitted and sampled is the engine's.
 */
export interface RbmParams {
  /** W, row-major [hidden, visible]. */
  weights: Float64Array | Float32Array;
  /** c, [visible]. */
  visibleBias: Float64Array | Float32Array;
  /** b, [hidden]. */
  hiddenBias: Float64Array | Float32Array;
}

/** The most hidden units whose states the lab enumerates: 2^H of them. */
export const MAX_ENUMERATED = 16;

/** log(1 + eˣ), in nats. */
export function softplus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** A model laid out for going over many rows: its weights by visible unit, and their exponentials. */
export class RbmReader {
  readonly numVisible: number;
  readonly numHidden: number;
  readonly #rbm: RbmParams;
  /** Wᵀ, [visible, hidden]. */
  readonly #columns: Float64Array;
  /** e^W and e^−W, transposed alike; made when first needed. */
  #factors: { set: Float64Array; clear: Float64Array } | undefined;
  /** σ(a) and σ(−a) of the row being read. */
  readonly #on: Float64Array;
  readonly #off: Float64Array;

  constructor(rbm: RbmParams) {
    this.#rbm = rbm;
    this.numVisible = rbm.visibleBias.length;
    this.numHidden = rbm.hiddenBias.length;
    this.#columns = transposed(rbm.weights, this.numHidden, this.numVisible);
    this.#on = new Float64Array(this.numHidden);
    this.#off = new Float64Array(this.numHidden);
  }

  /** E(v) in nats of a row of numbers 0 and 1. */
  energy(row: Uint8Array): number {
    let energy = 0;
    for (let i = 0; i < row.length; i++) if (row[i]) energy -= at(this.#rbm.visibleBias, i);
    for (const activation of this.#activations(row)) energy -= softplus(activation);
    return energy;
  }

  /** One step there and back through the hidden units by probabilities, v → σ(b + Wv) → σ(c + Wᵀ·): [visible]. */
  reconstruction(row: Uint8Array): Float64Array {
    const on = this.#hiddenMeans(row);
    const means = new Float64Array(this.numVisible);
    for (let i = 0; i < this.numVisible; i++) {
      const start = i * this.numHidden;
      let activation = at(this.#rbm.visibleBias, i);
      for (let j = 0; j < this.numHidden; j++)
        activation += at(on, j) * at(this.#columns, start + j);
      means[i] = sigmoid(activation);
    }
    return means;
  }

  /**
   * −Σ_i ln p(v_i | all others), in nats. A flip of unit i with s = ±1 changes the energy by
   * −s c_i − Σ_j ln(p_j + q_j e^{sW_ji}), q = σ(a), p = σ(−a); the terms are positive, so nothing cancels, and they are
   * multiplied before the logarithm is taken.
   */
  negLogPseudolikelihood(row: Uint8Array): number {
    const on = this.#hiddenMeans(row);
    this.#factors ??= {
      set: this.#columns.map((weight) => Math.exp(weight)),
      clear: this.#columns.map((weight) => Math.exp(-weight)),
    };
    let total = 0;
    for (let i = 0; i < this.numVisible; i++) {
      const table = row[i] ? this.#factors.clear : this.#factors.set;
      const start = i * this.numHidden;
      let product = 1;
      let log = (row[i] ? -1 : 1) * at(this.#rbm.visibleBias, i);
      for (let j = 0; j < this.numHidden; j++) {
        product *= at(this.#off, j) + at(on, j) * at(table, start + j);
        if (product > 1e100 || product < 1e-100) {
          log += Math.log(product);
          product = 1;
        }
      }
      total += softplus(log + Math.log(product));
    }
    return total;
  }

  #activations(row: Uint8Array): Float64Array {
    const { numHidden } = this;
    const activations = Float64Array.from(this.#rbm.hiddenBias);
    for (let i = 0; i < row.length; i++) {
      if (!row[i]) continue;
      const start = i * numHidden;
      for (let j = 0; j < numHidden; j++) activations[j]! += at(this.#columns, start + j);
    }
    return activations;
  }

  #hiddenMeans(row: Uint8Array): Float64Array {
    const activations = this.#activations(row);
    for (let j = 0; j < this.numHidden; j++) {
      this.#on[j] = sigmoid(at(activations, j));
      this.#off[j] = sigmoid(-at(activations, j));
    }
    return this.#on;
  }
}

/** −ln of the probability of a row whose units are independent and on with these probabilities, in nats. */
export function crossEntropy(row: Uint8Array, means: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < row.length; i++) {
    // Never quite 0 or 1, or one pixel would outweigh all others.
    const mean = Math.min(1 - 1e-9, Math.max(1e-9, at(means, i)));
    total -= Math.log(row[i] ? mean : 1 - mean);
  }
  return total;
}

/** The model with its sides exchanged, as a spec: a distribution over the hidden units, with the same log Z. */
export function exchanged({ weights, visibleBias, hiddenBias }: RbmParams) {
  const [numHidden, numVisible] = [hiddenBias.length, visibleBias.length];
  return {
    kind: 'rbm' as const,
    numVisible: numHidden,
    numHidden: numVisible,
    weights: transposed(weights, numHidden, numVisible),
    visibleBias: Float64Array.from(hiddenBias),
    hiddenBias: Float64Array.from(visibleBias),
  };
}

/** States walked from one fresh sum to the next. */
const RUN = 1024;

/**
 * log Z in nats by a program of its own, to check the engine's: ln Σ_h exp(bᵀh) Π_i (1 + exp(c_i + Σ_j h_j W_ji)) over
 * all 2^H states of the hidden units in Gray code. `breathe` is awaited after every run of states.
 */
export async function enumeratedLogZ(
  rbm: RbmParams,
  breathe: () => Promise<void>,
): Promise<number> {
  const { weights, visibleBias, hiddenBias } = rbm;
  const [numHidden, numVisible] = [hiddenBias.length, visibleBias.length];
  if (numHidden > MAX_ENUMERATED) throw new RangeError(`${numHidden} hidden units are too many.`);
  const numStates = 2 ** numHidden;
  const up = Float64Array.from(weights, Math.exp);
  const odds = new Float64Array(numVisible);
  const terms = new Float64Array(numStates);
  for (let count = 0; count < numStates; count++) {
    const state = count ^ (count >>> 1);
    if (count % RUN === 0) {
      await breathe();
      for (let i = 0; i < numVisible; i++) {
        let activation = at(visibleBias, i);
        for (let j = 0; j < numHidden; j++) {
          if ((state >>> j) & 1) activation += at(weights, j * numVisible + i);
        }
        odds[i] = Math.exp(activation);
      }
    } else {
      const flipped = 31 - Math.clz32(count & -count);
      const start = flipped * numVisible;
      if ((state >>> flipped) & 1) {
        for (let i = 0; i < numVisible; i++) odds[i]! *= at(up, start + i);
      } else {
        for (let i = 0; i < numVisible; i++) odds[i]! /= at(up, start + i);
      }
    }
    let log = 0;
    for (let j = 0; j < numHidden; j++) if ((state >>> j) & 1) log += at(hiddenBias, j);
    let product = 1;
    for (let i = 0; i < numVisible; i++) {
      product *= 1 + at(odds, i);
      if (product > 1e100) {
        log += Math.log(product);
        product = 1;
      }
    }
    terms[count] = log + Math.log(product);
  }
  const greatest = terms.reduce((most, term) => Math.max(most, term), Number.NEGATIVE_INFINITY);
  return greatest + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - greatest), 0));
}

function transposed(values: ArrayLike<number>, numRows: number, numColumns: number): Float64Array {
  const result = new Float64Array(numRows * numColumns);
  for (let row = 0; row < numRows; row++) {
    for (let column = 0; column < numColumns; column++) {
      result[column * numRows + row] = at(values, row * numColumns + column);
    }
  }
  return result;
}

function at(values: ArrayLike<number>, n: number): number {
  return values[n] as number;
}

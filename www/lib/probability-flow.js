// @ts-check
/**
 * Minimum probability flow on all states of a small Ising model: Sohl-Dickstein's thesis (2012), sections 2.1 to 2.3 and
 * appendices A and C.
 *
 *     E(x) = xᵀJx,  x ∈ {0,1}^D,  p⁽∞⁾ ∝ e^{−E}
 *     Γ_ij = g_ij exp(½[E_j − E_i]), i ≠ j                        (2.6)
 *     p⁽ᵗ⁾ = exp(Γt) p⁽⁰⁾                                         (2.3)
 *
 * The columns of Γ sum to 0. With V = diag(p⁽∞⁾)^{½} it is Γ = V B V⁻¹, where B = g + diag(Γ) is symmetric (C.1 to C.3):
 * off its diagonal are the zeros and ones of g, without rounding. States are whole numbers whose bit i is x_i, and
 * matrices are row-major, `[state to, state from]`.
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';

/**
 * E of all states.
 * @param {ArrayLike<number>} couplings J, row-major, symmetric, biases on its diagonal.
 * @param {number} dim
 */
export function energiesOf(couplings, dim) {
  return Float64Array.from({ length: 2 ** dim }, (_, state) => {
    let energy = 0;
    for (let i = 0; i < dim; i++) {
      for (let j = 0; j < dim; j++) {
        if ((state >> i) & (state >> j) & 1) energy += couplings[i * dim + j] ?? 0;
      }
    }
    return energy;
  });
}

/**
 * ln Z, in nats, from the energies of all states.
 * @param {Float64Array} energies
 */
export function logZOf(energies) {
  const lowest = Math.min(...energies);
  return Math.log(energies.reduce((sum, e) => sum + Math.exp(lowest - e), 0)) - lowest;
}

/**
 * The states that exchange probability with one: those of single flips, and that of all bits flipped if asked for (E.3,
 * E.13).
 * @param {number} state
 * @param {number} dim
 * @param {boolean} allFlips
 */
export function neighboursOf(state, dim, allFlips) {
  const single = Array.from({ length: dim }, (_, i) => state ^ (1 << i));
  return allFlips && dim > 1 ? [...single, state ^ (2 ** dim - 1)] : single;
}

/**
 * K (2.13, a mean over rows): the probability that begins to flow out of data states, per unit of time. Flow to
 * states that are data themselves counts too, unless `excludeData`.
 * @param {ArrayLike<number>} energies
 * @param {ArrayLike<number>} start p⁽⁰⁾
 * @param {number} dim
 * @param {{ allFlips: boolean, excludeData: boolean }} options
 */
export function flowObjective(energies, start, dim, { allFlips, excludeData }) {
  let sum = 0;
  for (let from = 0; from < 2 ** dim; from++) {
    const weight = start[from] ?? 0;
    if (weight === 0) continue;
    for (const to of neighboursOf(from, dim, allFlips)) {
      if (excludeData && (start[to] ?? 0) > 0) continue;
      sum += weight * Math.exp(0.5 * ((energies[from] ?? 0) - (energies[to] ?? 0)));
    }
  }
  return sum;
}

/**
 * Γ, row-major.
 * @param {ArrayLike<number>} energies
 * @param {number} dim
 * @param {boolean} allFlips
 */
export function rateMatrix(energies, dim, allFlips) {
  const size = 2 ** dim;
  const rates = new Float64Array(size * size);
  for (let from = 0; from < size; from++) {
    let out = 0;
    for (const to of neighboursOf(from, dim, allFlips)) {
      const rate = Math.exp(0.5 * ((energies[from] ?? 0) - (energies[to] ?? 0)));
      rates[to * size + from] = rate;
      out += rate;
    }
    rates[from * size + from] = -out;
  }
  return rates;
}

/**
 * r − ln(1 + r), which is never negative, without loss of digits at small r.
 * @param {number} r
 * @param {number} logarithm ln(1 + r)
 */
function excess(r, logarithm) {
  return Math.abs(r) < 1e-3 ? r * r * (0.5 - r * (1 / 3 - r * (0.25 - r / 5))) : r - logarithm;
}

/** The flow of probability from data to a model, at any time. */
export class ProbabilityFlow {
  /**
   * @param {ArrayLike<number>} couplings J, row-major, symmetric, biases on its diagonal.
   * @param {number} dim
   * @param {Float64Array} start p⁽⁰⁾
   * @param {boolean} allFlips Whether states with all bits flipped are connected, too.
   */
  constructor(couplings, dim, start, allFlips) {
    const size = 2 ** dim;
    this.dim = dim;
    this.allFlips = allFlips;
    this.start = start;
    this.energies = energiesOf(couplings, dim);
    /** ln Z, in nats. */
    this.logZ = logZOf(this.energies);
    /** p⁽∞⁾ */
    this.equilibrium = this.energies.map((energy) => Math.exp(-energy - this.logZ));
    this.rates = rateMatrix(this.energies, dim, allFlips);
    /** The diagonal of V. */
    this.roots = this.energies.map((energy) => Math.exp(-0.5 * (energy + this.logZ)));
    const symmetric = Matrix.zeros(size, size);
    for (let from = 0; from < size; from++) {
      symmetric.set(from, from, this.rates[from * size + from] ?? 0);
      for (const to of neighboursOf(from, dim, allFlips)) symmetric.set(to, from, 1);
    }
    const parts = new EigenvalueDecomposition(symmetric, { assumeSymmetric: true });
    const order = parts.realEigenvalues.map((_, n) => n);
    order.sort((a, b) => (parts.realEigenvalues[b] ?? 0) - (parts.realEigenvalues[a] ?? 0));
    /** Descending: the first is that of the model, 0 to rounding. */
    this.eigenvalues = order.map((n) => parts.realEigenvalues[n] ?? 0);
    /** What the data have of every deviation from the model, and how it is spread over states. */
    this.modes = order.slice(1).map((n) => {
      const vector = parts.eigenvectorMatrix.getColumn(n);
      const amount = vector.reduce(
        (sum, value, state) => sum + (value * (start[state] ?? 0)) / (this.roots[state] ?? 1),
        0,
      );
      return {
        rate: parts.realEigenvalues[n] ?? 0,
        shape: vector.map((value, state) => amount * value * (this.roots[state] ?? 0)),
      };
    });
  }

  /** λ₂, negative: minus the rate at which the slowest deviation from the model decays. */
  get lambda2() {
    return this.eigenvalues[1] ?? Number.NaN;
  }

  /**
   * p⁽ᵗ⁾ − p⁽⁰⁾, with all of its digits at small t.
   * @param {number} t
   */
  changeAfter(t) {
    const change = new Float64Array(this.start.length);
    for (const { rate, shape } of this.modes) {
      const share = Math.expm1(rate * t);
      for (let state = 0; state < change.length; state++)
        change[state] = (change[state] ?? 0) + share * (shape[state] ?? 0);
    }
    return change;
  }

  /**
   * p⁽ᵗ⁾. Where rounding would leave a negative number, there is 0.
   * @param {number} t
   */
  after(t) {
    return this.#after(t, this.changeAfter(t));
  }

  /**
   * What has left a state almost wholly is counted from the other end, from p⁽∞⁾, where it keeps its digits.
   * @param {number} t
   * @param {Float64Array} change
   */
  #after(t, change) {
    const shares = this.modes.map(({ rate }) => Math.exp(rate * t));
    return change.map((value, state) => {
      const before = this.start[state] ?? 0;
      if (value >= -0.5 * before) return before + value;
      const left = this.modes.reduce(
        (sum, { shape }, n) => sum + (shares[n] ?? 0) * (shape[state] ?? 0),
        this.equilibrium[state] ?? 0,
      );
      return Math.max(0, left);
    });
  }

  /**
   * D_KL(p⁽⁰⁾‖p⁽ᵗ⁾), in nats, as appendix A takes it apart: the probability that has left the data states (A.8), and
   * what is of second order in t. Neither is negative.
   * @param {number} t
   */
  divergenceAfter(t) {
    const change = this.changeAfter(t);
    const now = this.#after(t, change);
    return change.reduce((sum, value, state) => {
      const p = this.start[state] ?? 0;
      if (p === 0) return sum + Math.max(0, value);
      const r = value / p;
      return sum + p * excess(r, r > -0.5 ? Math.log1p(r) : Math.log((now[state] ?? 0) / p));
    }, 0);
  }

  /** D_KL(p⁽⁰⁾‖p⁽∞⁾), in nats: what maximum likelihood minimizes. */
  get divergenceAtEquilibrium() {
    return this.energies.reduce((sum, energy, state) => {
      const p = this.start[state] ?? 0;
      if (p === 0) return sum + (this.equilibrium[state] ?? 0);
      const logarithm = -energy - this.logZ - Math.log(p);
      return sum + p * excess(Math.expm1(logarithm), logarithm);
    }, 0);
  }

  /**
   * Net flow Γ_ij p_j − Γ_ji p_i between connected states, as V_i V_j (p_j/p_j⁽∞⁾ − p_i/p_i⁽∞⁾): at equilibrium it is 0 to
   * the last bit.
   * @param {ArrayLike<number>} p
   * @param {number} to i
   * @param {number} from j
   */
  netFlow(p, to, from) {
    const above = (/** @type {number} */ state) =>
      (p[state] ?? 0) / (this.equilibrium[state] ?? Number.NaN);
    return (this.roots[to] ?? 0) * (this.roots[from] ?? 0) * (above(from) - above(to));
  }

  /**
   * K; without the flow between data states it is the slope of D_KL(p⁽⁰⁾‖p⁽ᵗ⁾) at t = 0 (A.10).
   * @param {boolean} excludeData
   */
  objective(excludeData) {
    const { energies, start, dim, allFlips } = this;
    return flowObjective(energies, start, dim, { allFlips, excludeData });
  }

  /**
   * A lower bound on λ₂ (C.25, with p⁽∞⁾ in place of an upper bound on it): the slowest deviation decays no faster than
   * any one state can empty.
   */
  get lambda2Bound() {
    const size = this.start.length;
    return this.equilibrium.reduce(
      (most, p, state) => Math.max(most, (this.rates[state * size + state] ?? 0) / (1 - p)),
      Number.NEGATIVE_INFINITY,
    );
  }

  /** A lower bound on the mean log likelihood of the data, in nats a row (C.17); −∞ where it says nothing of some row. */
  get likelihoodBound() {
    const size = this.start.length;
    return this.start.reduce((sum, p, state) => {
      const bound = 1 - (this.rates[state * size + state] ?? 0) / this.lambda2;
      return p > 0 ? sum + p * Math.log(Math.max(0, bound)) : sum;
    }, 0);
  }
}

// A lower bound on the log likelihood of a deep belief network (Salakhutdinov and Murray 2008).
//
// With the layers v = h⁰, h¹, …, hᴸ, the machines p_k over (hᵏ⁻¹, hᵏ), and the way up
// q(h¹ … hᴸ⁻¹ | v) = Π_{k<L} p_k(hᵏ | hᵏ⁻¹), on which each unit is drawn by itself,
//
//   ln p(v) ≥ E_q [ r(v, h¹ … hᴸ⁻¹) ] − ln Z_L
//   r = Σ_{k<L} [ ln p_k(hᵏ⁻¹ | hᵏ) − ln p_k(hᵏ | hᵏ⁻¹) ] − E_L(hᴸ⁻¹)
//
// by Jensen's inequality: the mean of eʳ under q is p(v) Z_L. E_L is the energy of the top machine with its hidden
// units summed out, and Z_L is its constant. With one machine nothing is drawn, and the bound is ln p(v) itself.
//
// A machine is `{ weights, visibleBias, hiddenBias }`, as in `layers` of a fitted `dbn`; states are arrays of 0 and 1.

import { estimate } from './packed/estimates.mjs';

/**
 * The bound for each row, as a mean over `numDraws` ways up, and the mean over the rows with its error.
 *
 * @param {object} of
 * @param of.layers the machines, from the bottom up
 * @param {number} of.logZ ln Z of the top machine
 * @param of.rows the visible states
 * @param {number} of.numDraws
 * @param {() => number} of.uniform gives numbers in [0, 1)
 */
export function lowerBound({ layers, logZ, rows, numDraws, uniform }) {
  const bounds = rows.map((row) => {
    let sum = 0;
    for (let draw = 0; draw < numDraws; draw++)
      sum += logRatio(layers, drawUp(layers, row, uniform));
    return sum / numDraws - logZ;
  });
  return { rows: bounds, ...estimate(bounds) };
}

/** States of all layers but the last, `[v, h¹, …, hᴸ⁻¹]`, drawn on the way up from v. */
export function drawUp(layers, visible, uniform) {
  const states = [visible];
  for (const layer of layers.slice(0, -1)) {
    const fields = fieldsAbove(layer, states.at(-1));
    states.push(Uint8Array.from(fields, (field) => Number(uniform() * (1 + Math.exp(-field)) < 1)));
  }
  return states;
}

/** r(v, h¹ … hᴸ⁻¹): ln of the joint probability of these layers over their probability on the way up, plus ln Z_L. */
export function logRatio(layers, states) {
  const top = layers.at(-1);
  let ratio = -energy(top, states.at(-1));
  layers.slice(0, -1).forEach((layer, at) => {
    const [below, above] = [states[at], states[at + 1]];
    ratio += logProbability(fieldsBelow(layer, above), below);
    ratio -= logProbability(fieldsAbove(layer, below), above);
  });
  return ratio;
}

/** E(v) = −cᵀv − Σ_j ln(1 + exp(b_j + W_j v)): a machine's energy without its hidden units. */
function energy(layer, visible) {
  let energy = 0;
  visible.forEach((on, i) => {
    if (on) energy -= layer.visibleBias[i];
  });
  for (const field of fieldsAbove(layer, visible)) energy -= softplus(field);
  return energy;
}

/** ln p of states, each unit on with the odds exp(field). */
function logProbability(fields, states) {
  let sum = 0;
  for (let i = 0; i < fields.length; i++) sum -= softplus(states[i] ? -fields[i] : fields[i]);
  return sum;
}

/** Log odds of the hidden units given the visible ones: b + W v. */
function fieldsAbove({ weights, hiddenBias }, visible) {
  const dim = visible.length;
  const on = indicesOf(visible);
  const fields = Float64Array.from(hiddenBias);
  // Loops, here as below: calls of a function for each number take several times as long.
  for (let j = 0; j < fields.length; j++) {
    let field = fields[j];
    for (let n = 0; n < on.length; n++) field += weights[j * dim + on[n]];
    fields[j] = field;
  }
  return fields;
}

/** Log odds of the visible units given the hidden ones: c + Wᵀ h. */
function fieldsBelow({ weights, visibleBias }, hidden) {
  const fields = Float64Array.from(visibleBias);
  const dim = fields.length;
  for (const j of indicesOf(hidden)) {
    for (let i = 0; i < dim; i++) fields[i] += weights[j * dim + i];
  }
  return fields;
}

/** Which units are on. */
function indicesOf(states) {
  const on = [];
  for (let i = 0; i < states.length; i++) if (states[i]) on.push(i);
  return on;
}

const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

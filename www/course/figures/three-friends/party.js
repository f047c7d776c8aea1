// @ts-check
/**
 * Three friends who may come to a party: states of three bits, with the energy
 *
 *     E(x) = −a · (how many come) − w · (how many pairs come together).
 */

/** All states, those of few guests first. */
export const STATES = [
  { name: 'nobody', guests: 0 },
  { name: 'Ann', guests: 1 },
  { name: 'Ben', guests: 1 },
  { name: 'Cleo', guests: 1 },
  { name: 'Ann, Ben', guests: 2 },
  { name: 'Ann, Cleo', guests: 2 },
  { name: 'Ben, Cleo', guests: 2 },
  { name: 'all three', guests: 3 },
];

/**
 * Weights e^{−E}, Z and probabilities of all states.
 * @param {number} eagerness a
 * @param {number} company w
 */
export function partyOf(eagerness, company) {
  const states = STATES.map(({ name, guests }) => {
    const energy = 0 - eagerness * guests - company * ((guests * (guests - 1)) / 2);
    return { name, energy, weight: Math.exp(-energy) };
  });
  const z = states.reduce((sum, { weight }) => sum + weight, 0);
  return { z, states: states.map((state) => ({ ...state, probability: state.weight / z })) };
}

// @ts-check
/** How long it takes to add up the weights of all states. */

/** Weights that the machine adds in a second. */
export const RATE = 1e9;
const YEAR = 365.25 * 24 * 3600;

/** The decimal logarithm of the seconds that a sum over 2^dim states takes. @param {number} dim */
export const logSeconds = (dim) => dim * Math.log10(2) - Math.log10(RATE);

/** Times to compare with, in seconds. */
export const LANDMARKS = [
  { name: 'a second', seconds: 1 },
  { name: 'a day', seconds: 24 * 3600 },
  { name: 'a lifetime, 80 years', seconds: 80 * YEAR },
  { name: 'the age of the universe, 13.8 billion years', seconds: 13.8e9 * YEAR },
];

/** The last landmark that the sum takes longer than, if there is one. @param {number} dim */
export const passed = (dim) =>
  LANDMARKS.filter(({ seconds }) => logSeconds(dim) > Math.log10(seconds)).at(-1);

/** Sequences to begin with. What is said of them is what they are; the search does not know it. */
export const PRESETS = [
  {
    name: 'The thesis: 4, 13, 38, …',
    numbers: [4, 13, 38, 87, 208],
    hint: 'The example of section 1.4: what comes next?',
  },
  { name: 'Primes', numbers: [2, 3, 5, 7, 11, 13], hint: 'The first six primes.' },
  { name: 'Sums of cubes', numbers: [1, 9, 36, 100, 225], hint: '1, 1 + 8, 1 + 8 + 27, …' },
  { name: 'Tetrahedra', numbers: [1, 4, 10, 20, 35], hint: 'Balls in a pile with three sides.' },
  { name: 'Primes of primes', numbers: [3, 5, 11, 17, 31], hint: 'The 2nd, 3rd, 5th, … prime.' },
  {
    name: 'Powers of two',
    numbers: [1, 2, 4, 8, 16, 32],
    hint: 'The language cannot say “doubled”.',
  },
  { name: 'Fibonacci', numbers: [1, 1, 2, 3, 5, 8], hint: 'The language cannot add neighbours.' },
  {
    name: 'A first step that costs',
    numbers: [1, 10, 46, 146],
    hint: 'Sums of squares of 1, 3, 6, 10: the language can say it.',
  },
  {
    name: 'At random',
    numbers: [417, 83, 902, 265, 718],
    hint: 'Drawn between 1 and 1,000: there is nothing to find.',
  },
] as const;

/** Which preset has these numbers; −1 for numbers of one's own. */
export function presetOf(numbers: readonly number[]): number {
  return PRESETS.findIndex((preset) => preset.numbers.join() === numbers.join());
}

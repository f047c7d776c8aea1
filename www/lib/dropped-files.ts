/** Where files go that a visitor drops. In a notebook `notebook/dropped-files.ts` stands in for this one. */

/** A sentence on one file or several. */
export function whereItGoes(pronoun: 'It' | 'They' = 'It'): string {
  return `${pronoun} ${pronoun === 'It' ? 'stays' : 'stay'} on your computer.`;
}

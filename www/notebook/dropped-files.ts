/** In a notebook the specs of jobs go to Python, with the data in them, and that may run elsewhere. */
export function whereItGoes(pronoun: 'It' | 'They' = 'It'): string {
  return `${pronoun} ${pronoun === 'It' ? 'goes' : 'go'} to Python with the result.`;
}

/** A mean with its standard error. */
export interface Estimate {
  value: number;
  error: number;
}

/** The mean of numbers that are independent of one another. */
export function estimateOf(values: readonly number[]): Estimate {
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  const squares = values.reduce((sum, one) => sum + (one - value) ** 2, 0);
  return { value, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}

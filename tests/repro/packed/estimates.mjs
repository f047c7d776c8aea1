// Means, and how well they are known.

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A figure of independent values and its standard error, as the rows of a reproduction have them. */
export function withError(name, values) {
  const { mean, error } = estimate(values);
  return { [name]: mean, [`${name}Error`]: error };
}

/** The mean of independent values, and its standard error; 0 of one value. */
export function estimate(values) {
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const { length } = values;
  return { mean: center, error: length > 1 ? Math.sqrt(squares / (length - 1) / length) : 0 };
}

import type { ParameterErrors } from 'unnorm';

/** Correlations of the errors of these parameters, row-major, in the order of the names; undefined where one has none. */
export function correlationsOf(
  { covariance, parameters = [] }: ParameterErrors,
  names: readonly string[],
): Float64Array | undefined {
  if (!covariance) return undefined;
  const places = names.map((name) => parameters.findIndex((one) => one.name === name));
  if (places.includes(-1)) return undefined;
  const entry = (i: number, j: number) =>
    covariance[(places[i] ?? 0) * parameters.length + (places[j] ?? 0)] ?? 0;
  const n = names.length;
  return Float64Array.from({ length: n * n }, (_, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    return entry(i, j) / Math.sqrt(entry(i, i) * entry(j, j));
  });
}

/** Where an axis for values of either sign has its numbers: 0, and powers of ten from the end of its linear part on. */
export function symmetricSplits(low: number, high: number, linear: number): number[] {
  const powers: number[] = [];
  const most = Math.max(-low, high) * (1 + 1e-9);
  for (let n = 0; linear * 10 ** n <= most; n++)
    powers.push(Number((linear * 10 ** n).toPrecision(12)));
  const all = [...powers.map((power) => -power).reverse(), 0, ...powers];
  return all.filter((split) => split >= low * (1 + 1e-9) && split <= high * (1 + 1e-9));
}

/** The ends of such an axis: of either sign a whole power of ten, and the same one both ways where there is nothing yet. */
export function symmetricRange(
  low: number | null,
  high: number | null,
  linear: number,
): [number, number] {
  if (low === null || high === null) return [-1e4 * linear, 1e4 * linear];
  const end = (size: number) =>
    linear * 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(linear, size) / linear) - 1e-9));
  return [-end(-low), end(high)];
}

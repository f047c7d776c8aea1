/** Curves with times of their own over one common axis: null where a curve has no point. */
export function overCommonTimes(
  curves: readonly { times: readonly number[]; values: readonly number[] }[],
): {
  times: number[];
  values: (number | null)[][];
} {
  const times = [...new Set(curves.flatMap((curve) => curve.times))].sort((a, b) => a - b);
  const places = new Map(times.map((time, place) => [time, place]));
  const values = curves.map((curve) => {
    const row: (number | null)[] = new Array(times.length).fill(null);
    curve.times.forEach((time, n) => {
      const value = curve.values[n];
      // A descent that has run away has no place on the axis.
      row[places.get(time) as number] =
        value !== undefined && Number.isFinite(value) ? value : null;
    });
    return row;
  });
  return { times, values };
}

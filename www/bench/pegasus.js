/**
 * The graph of D-Wave's Pegasus processors (Boothby, Bunyk, Raymond and Roy 2020), on which programs
 * that sample sparse Ising models are compared.
 *
 * A qubit is a segment of twelve places on a square grid: vertical ones lie in a column and cover
 * twelve rows, horizontal ones lie in a row and cover twelve columns. Where a vertical and a
 * horizontal segment cross they are coupled; so are the next segments of a line, and the lines of a
 * pair.
 */

/** Where the segments of the lines k = 0 to 11 begin, modulo twelve: vertical ones, then horizontal ones. */
const OFFSETS = [
  [2, 2, 2, 2, 10, 10, 10, 10, 6, 6, 6, 6],
  [6, 6, 6, 6, 2, 2, 2, 2, 10, 10, 10, 10],
];

/**
 * The pairs of coupled qubits of Pegasus of size `m`, each with the smaller number first, in order.
 * Qubits that cross no other are left out. Size 14 has 4,264 qubits and 30,404 pairs.
 * @returns {{ numSites: number, pairs: [number, number][] }}
 */
export function pegasus(m) {
  // Line `place` = 12 w + k of an orientation has the segments z = 0 to m − 2.
  const place = (orientation, line, z) => (orientation * 12 * m + line) * (m - 1) + z;
  const lines = Array.from({ length: 12 * m }, (_, line) => line);
  /** The segment of a line that covers a position; none at the margins. */
  const covering = (orientation, line, position) => {
    const z = Math.floor((position - OFFSETS[orientation][line % 12]) / 12);
    return z >= 0 && z < m - 1 ? place(orientation, line, z) : undefined;
  };
  const crossings = lines.flatMap((column) =>
    lines.flatMap((row) => {
      const pair = [covering(0, column, row), covering(1, row, column)];
      return pair.includes(undefined) ? [] : [pair];
    }),
  );
  const crossing = [...new Set(crossings.flat())].sort((a, b) => a - b);
  const numbers = new Map(crossing.map((qubit, number) => [qubit, number]));
  const alongLines = [0, 1].flatMap((orientation) =>
    lines.flatMap((line) =>
      Array.from({ length: m - 1 }, (_, z) => z).flatMap((z) => {
        const own = place(orientation, line, z);
        const next = z + 1 < m - 1 ? [[own, place(orientation, line, z + 1)]] : [];
        const twin = line % 2 === 0 ? [[own, place(orientation, line + 1, z)]] : [];
        return [...next, ...twin];
      }),
    ),
  );
  const pairs = [...crossings, ...alongLines]
    .filter((pair) => pair.every((qubit) => numbers.has(qubit)))
    .map((pair) => pair.map((qubit) => numbers.get(qubit)))
    .sort(([a, b], [c, d]) => a - c || b - d);
  return { numSites: crossing.length, pairs };
}

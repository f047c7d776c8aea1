import type { LatentDraw } from 'unnorm';
import type { Matrix } from '../../pictures/matrix.js';

/** A draw of the hidden variables as two matrices, and the order of rows in which it shows. */
export interface Explained {
  /** Which row of the table comes first, second, … */
  rows: readonly number[];
  /** Z: one column a cluster, factor or attribute. */
  hidden: Matrix;
  /** A. */
  features: Matrix;
  /** Z·A, the table without its noise. */
  product: Matrix;
}

/** Z, A and Z·A of a draw, sorted: the parts that matter most first, and rows by them. */
export function explain(
  draw: Pick<LatentDraw, 'hidden' | 'features'>,
  kind: 'clustering' | 'lowRank' | 'binaryAttributes',
  numRows: number,
  dim: number,
): Explained {
  const k = draw.features.length / dim;
  const isCluster = kind === 'clustering';
  const at = (row: number, part: number) =>
    isCluster ? Number(draw.hidden[row] === part) : (draw.hidden[row * k + part] ?? 0);
  const feature = (part: number, column: number) => draw.features[part * dim + column] ?? 0;
  const all = (length: number) => Array.from({ length }, (_, n) => n);
  // How much of the table is due to a part: its squares, over all cells.
  const weights = all(k).map((part) => {
    const ofRows = all(numRows).reduce((sum, row) => sum + at(row, part) ** 2, 0);
    const ofColumns = all(dim).reduce((sum, column) => sum + feature(part, column) ** 2, 0);
    return isCluster ? ofRows : ofRows * ofColumns;
  });
  const parts = all(k).sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0));
  const rows = all(numRows).sort((a, b) => {
    const part = parts.find((one) => at(a, one) !== at(b, one));
    return part === undefined ? a - b : at(b, part) - at(a, part);
  });
  const matrix = (
    numLines: number,
    numColumns: number,
    cell: (line: number, column: number) => number,
  ): Matrix => ({
    values: Float64Array.from({ length: numLines * numColumns }, (_, n) =>
      cell(Math.floor(n / numColumns), n % numColumns),
    ),
    numRows: numLines,
    numColumns,
  });
  const [row, part] = [(n: number) => rows[n] ?? 0, (n: number) => parts[n] ?? 0];
  return {
    rows,
    hidden: matrix(numRows, k, (n, m) => at(row(n), part(m))),
    features: matrix(k, dim, (n, column) => feature(part(n), column)),
    product: matrix(numRows, dim, (n, column) =>
      parts.reduce((sum, one) => sum + at(row(n), one) * feature(one, column), 0),
    ),
  };
}

/** A table with its rows in another order. */
export function reordered(
  values: ArrayLike<number>,
  dim: number,
  rows: readonly number[],
): Float64Array {
  return Float64Array.from({ length: rows.length * dim }, (_, n) => {
    const row = rows[Math.floor(n / dim)] ?? 0;
    return values[row * dim + (n % dim)] ?? 0;
  });
}

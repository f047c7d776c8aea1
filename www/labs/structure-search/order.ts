import type { StructureMatrix } from 'unnorm';
import type { Matrix } from '../../pictures/matrix.js';
import type { Expression, Factor, Leaf } from './expression.js';

/** The table and the matrices of its structure with rows and columns in the order that shows it. */
export interface Arranged {
  /** Which row of the table comes first, second, … */
  rows: readonly number[];
  columns: readonly number[];
  /** By which letter they are in order; C for the order that they had. */
  rowsBy: Leaf['letter'];
  columnsBy: Leaf['letter'];
  /** The matrices as in the text: transposed where it has the transpose, in the order of rows and columns where they share these. */
  matrices: Matrix[];
}

/** The rows of the matrices on the left, or the columns of those on the right. */
type Side = 'rows' | 'columns';

/** Orders rows by the clusters, attributes or strongest factor of the matrices on the left, columns by those on the right. */
export function arrange(
  expression: Expression,
  matrices: readonly StructureMatrix[],
  numRows: number,
  dim: number,
): Arranged {
  const shown = matrices.map(asInText);
  const shared = { rows: new Set<number>(), columns: new Set<number>() };
  const keys: Record<Side, Leaf[]> = { rows: [], columns: [] };

  /** Notes for a part of the text whether its rows are those of the table, and its columns. */
  function visit(part: Factor, isLeft: boolean, isRight: boolean, isKey: boolean): void {
    if (!('letter' in part) && part.kind === 'sum') {
      for (const { left, right } of part.terms) {
        const isWalk = [left, right].some((one) => 'letter' in one && one.letter === 'C');
        // The steps of walks say nothing about the order of what they belong to.
        visit(left, isLeft, false, !isWalk || 'letter' in left);
        visit(right, false, isRight, !isWalk || 'letter' in right);
      }
      visit(part.noise, isLeft, isRight, false);
      return;
    }
    if (!('letter' in part) && part.kind === 'scale') visit(part.of, isLeft, isRight, false);
    const leaf = 'letter' in part ? part : part.leaf;
    if (isLeft) shared.rows.add(leaf.place);
    if (isRight) shared.columns.add(leaf.place);
    if (isKey && isLeft !== isRight) keys[isLeft ? 'rows' : 'columns'].push(leaf);
  }
  visit(expression, true, true, false);

  const rows = orderOf('rows', keys.rows, shown, numRows);
  const columns = orderOf('columns', keys.columns, shown, dim);
  return {
    rows: rows.order,
    columns: columns.order,
    rowsBy: rows.by,
    columnsBy: columns.by,
    matrices: shown.map((matrix, place) =>
      reordered(
        matrix,
        shared.rows.has(place) ? rows.order : all(matrix.numRows),
        shared.columns.has(place) ? columns.order : all(matrix.numColumns),
      ),
    ),
  };
}

/** A matrix with its rows and columns in another order. */
export function reordered(
  { values, numColumns }: Matrix,
  rows: readonly number[],
  columns: readonly number[],
): Matrix {
  return {
    values: Float64Array.from(
      rows.flatMap((row) => columns.map((column) => values[row * numColumns + column] ?? 0)),
    ),
    numRows: rows.length,
    numColumns: columns.length,
  };
}

export function all(length: number): number[] {
  return Array.from({ length }, (_, n) => n);
}

function asInText({ values, numRows, numCols, isTransposed }: StructureMatrix): Matrix {
  if (!isTransposed) return { values, numRows, numColumns: numCols };
  const entries = all(numCols).flatMap((column) =>
    all(numRows).map((row) => values[row * numCols + column] ?? 0),
  );
  return { values: Float64Array.from(entries), numRows: numCols, numColumns: numRows };
}

/** The order of lines by the matrices that have them: by all clusters and attributes, else by the strongest factor. */
function orderOf(
  side: Side,
  leaves: readonly Leaf[],
  matrices: readonly Matrix[],
  numLines: number,
): { order: number[]; by: Leaf['letter'] } {
  const lines = all(numLines);
  const by = (['C', 'M', 'B', 'G'] as const).find((letter) =>
    leaves.some((leaf) => leaf.letter === letter),
  );
  if (by === undefined || by === 'C') return { order: lines, by: 'C' };
  const at = ({ values, numColumns }: Matrix, line: number, part: number) =>
    (side === 'rows' ? values[line * numColumns + part] : values[part * numColumns + line]) ?? 0;
  const partsOf = ({ numRows, numColumns }: Matrix) => all(side === 'rows' ? numColumns : numRows);
  const strength = (matrix: Matrix, part: number) =>
    lines.reduce((sum, line) => sum + at(matrix, line, part) ** 2, 0);
  const [first] = leaves.filter(({ letter }) => letter === by);
  const keys = leaves
    .filter((leaf) => (by === 'G' ? leaf === first : leaf.letter === 'M' || leaf.letter === 'B'))
    .sort((a, b) => Number(b.letter === by) - Number(a.letter === by))
    .flatMap(({ place }) => {
      const matrix = matrices[place];
      if (!matrix) return [];
      const parts = partsOf(matrix);
      const strongest = parts.reduce(
        (best, part) => (strength(matrix, part) > strength(matrix, best) ? part : best),
        0,
      );
      return (by === 'G' ? [strongest] : parts).map(
        (part) => (line: number) => at(matrix, line, part),
      );
    });
  const order = lines.sort((a, b) => {
    const key = keys.find((one) => one(a) !== one(b));
    return key ? key(b) - key(a) : a - b;
  });
  return { order, by };
}

import { t } from '../../lib/language.js';
import { MOST_STATES, ROW_ERROR, sumOf } from './settings.js';

/** What is wrong with a row, and whether dividing it by its sum would mend it. */
export interface RowProblem {
  row: number;
  text: string;
  canNormalize: boolean;
}

/** A matrix while it is typed: cells as texts, right or wrong. */
export class MatrixDraft {
  cells = $state.raw<readonly (readonly string[])[]>([]);

  readonly size = $derived(this.cells.length);
  readonly problems: readonly RowProblem[] = $derived.by(() => this.cells.flatMap(problemsOf));
  /** Row-major; undefined while something is wrong with it. */
  readonly matrix: readonly number[] | undefined = $derived.by(() =>
    this.size >= 2 && this.problems.length === 0
      ? this.cells.flatMap((row) => row.map((cell) => probabilityOf(cell) ?? 0))
      : undefined,
  );

  /** Fills in a matrix; none is filled in that is too large for a table. */
  show(matrix: ArrayLike<number>): void {
    const size = Math.sqrt(matrix.length);
    const values = Array.from(matrix, shortest);
    this.cells =
      size > MOST_STATES
        ? []
        : Array.from({ length: size }, (_, row) => values.slice(row * size, (row + 1) * size));
  }

  set(row: number, column: number, text: string): void {
    this.cells = this.cells.map((cells, i) =>
      i === row ? cells.map((cell, j) => (j === column ? text.trim() : cell)) : cells,
    );
  }

  /** One more state, which stays where it is, or one less: what went to it stays where it was. */
  resize(size: number): void {
    if (size > this.size) {
      const longer = this.cells.map((row) => [...row, '0']);
      this.cells = [...longer, [...Array(this.size).fill('0'), '1']];
      return;
    }
    this.cells = this.cells.slice(0, size).map((row, i) => {
      const lost = probabilityOf(row[size] ?? '0') ?? 0;
      const stays = probabilityOf(row[i] ?? '0') ?? 0;
      return row
        .slice(0, size)
        .map((cell, j) => (i === j && lost > 0 ? shortest(stays + lost) : cell));
    });
  }

  /** Divides a row by its sum. */
  normalize(row: number): void {
    const values = (this.cells[row] ?? []).map((cell) => probabilityOf(cell) ?? 0);
    const sum = sumOf(values);
    this.cells = this.cells.map((cells, i) =>
      i === row ? values.map((value) => shortest(value / sum)) : cells,
    );
  }
}

/** A decimal number or a fraction such as 1/3, if it is one from 0 to 1; undefined else. Sums of a row are another matter. */
export function probabilityOf(cell: string): number | undefined {
  const [, above, below] =
    /^(\d+(?:\.\d+)?|\.\d+|\d+(?:\.\d+)?e-\d{1,3})(?:\/(\d+(?:\.\d+)?))?$/i.exec(cell) ?? [];
  if (above === undefined) return undefined;
  const value = Number(above) / Number(below ?? 1);
  return value >= 0 && value <= 1 ? value : undefined;
}

function problemsOf(cells: readonly string[], row: number): RowProblem[] {
  const name = String.fromCharCode(65 + row);
  const wrong = cells.findIndex((cell) => probabilityOf(cell) === undefined);
  if (wrong >= 0) {
    const text = t(
      'From {value} to {wrong}: “{wrong2}” is not a probability. Type a number from 0 to 1, such as 0.25 or 1/4.',
      { value: name, wrong: String.fromCharCode(65 + wrong), wrong2: cells[wrong] },
    );
    return [{ row, text, canNormalize: false }];
  }
  const sum = sumOf(cells.map((cell) => probabilityOf(cell) ?? 0));
  if (Math.abs(sum - 1) <= ROW_ERROR) return [];
  const text = t('Row {value} adds up to {sum}, not to 1. {what}', {
    value: name,
    sum: Number(sum.toPrecision(6)),
    what:
      sum > 0
        ? t('Change a number, or divide the row by its sum.')
        : t('From every state it has to go somewhere: type a 1 for where.'),
  });
  return [{ row, text, canNormalize: sum > 0 }];
}

/** A number as short as it can be: a third keeps its digits, and 0.30000000000000004 loses them. */
function shortest(value: number): string {
  const short = Number(value.toPrecision(12));
  return String(Math.abs(short - value) < 1e-15 ? short : value);
}

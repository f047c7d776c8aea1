import { bitsOn, statesIn } from './data.js';

/** Where a state has its name and its bar, in CSS pixels. */
export interface Slot {
  left: number;
  /** The middle of the bar. */
  y: number;
}

/** States in columns by the number of bits that are on: a flip leads from a column to the next. */
export interface Layout {
  dim: number;
  width: number;
  height: number;
  /** By state. */
  slots: readonly Slot[];
  /** Of every slot. */
  slotWidth: number;
  rowHeight: number;
  barHeight: number;
  fontSize: number;
}

/** By the number of spins; the most states in a column are 2, 3, 6, 10, 20. */
const ROWS: Record<number, { rowHeight: number; barHeight: number; fontSize: number }> = {
  2: { rowHeight: 104, barHeight: 22, fontSize: 14 },
  3: { rowHeight: 84, barHeight: 20, fontSize: 14 },
  4: { rowHeight: 52, barHeight: 16, fontSize: 13 },
  5: { rowHeight: 40, barHeight: 12, fontSize: 12 },
  6: { rowHeight: 28, barHeight: 8, fontSize: 10 },
};
/** Most states in a column. */
const TALLEST = [1, 1, 2, 3, 6, 10, 20];
/** The part of a column that its bars take; arrows have the rest. */
const BARS = 0.55;
const WIDEST = 120;

export function layoutOf(dim: number, width: number): Layout {
  const row = ROWS[dim] ?? { rowHeight: 28, barHeight: 8, fontSize: 10 };
  const height = (TALLEST[dim] ?? 1) * row.rowHeight + 12;
  const slotWidth = Math.min(WIDEST, (BARS * width) / (dim + 1));
  // Room for the line of p⁽∞⁾ at either end.
  const pitch = (width - slotWidth - 4) / dim;
  const slots: Slot[] = [];
  for (let on = 0; on <= dim; on++) {
    const column = statesIn(dim).filter((state) => bitsOn(state) === on);
    column.forEach((state, n) => {
      const y = height / 2 + (n - (column.length - 1) / 2) * row.rowHeight + 0.3 * row.fontSize;
      slots[state] = { left: 2 + on * pitch, y };
    });
  }
  return { dim, width, height, slots, slotWidth, ...row };
}

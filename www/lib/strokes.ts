import { flip, isSet, setTo } from './bit-pictures.js';
import { t } from './language.js';

/** What the pointer does. */
export const TOOLS = [
  { value: 'draw', label: t('Draw') },
  { value: 'erase', label: t('Erase') },
  { value: 'flip', label: t('Flip') },
  { value: 'smear', label: t('Smear') },
] as const;

export type Tool = (typeof TOOLS)[number]['value'];

export const BRUSHES = [
  { value: 'fine', label: t('Fine') },
  { value: 'medium', label: t('Medium') },
  { value: 'broad', label: t('Broad') },
] as const;

export type Brush = (typeof BRUSHES)[number]['value'];

/** Pixels along a side of a brush. */
export function widthOf(brush: Brush, side: number): number {
  if (brush === 'fine') return 1;
  return brush === 'medium' ? Math.max(2, side / 16) : Math.max(3, Math.round(side / 6));
}

export interface Place {
  row: number;
  column: number;
}

/** One stroke of a tool over a picture, from where the pointer goes down to where it goes up. */
export class Stroke {
  readonly bits: Uint8Array;
  readonly #side: number;
  readonly #tool: Tool;
  readonly #width: number;
  readonly #flipped = new Set<number>();
  #at: Place;

  constructor(bits: Uint8Array, side: number, tool: Tool, brush: Brush, start: Place) {
    this.bits = bits.slice();
    this.#side = side;
    this.#tool = tool;
    this.#width = widthOf(brush, side);
    this.#at = start;
    if (tool !== 'smear') this.#apply(start);
  }

  /** Goes in a straight line to a place, pixel by pixel. */
  to(place: Place): void {
    const from = this.#at;
    const steps = Math.max(Math.abs(place.row - from.row), Math.abs(place.column - from.column));
    for (let n = 1; n <= steps; n++) {
      const next = {
        row: Math.round(from.row + ((place.row - from.row) * n) / steps),
        column: Math.round(from.column + ((place.column - from.column) * n) / steps),
      };
      if (this.#tool === 'smear') this.#drag(this.#at, next);
      else this.#apply(next);
      this.#at = next;
    }
  }

  #apply(place: Place): void {
    for (const n of this.#under(place)) {
      if (this.#tool !== 'flip') setTo(this.bits, n, this.#tool === 'draw');
      else if (!this.#flipped.has(n)) {
        flip(this.bits, n);
        this.#flipped.add(n);
      }
    }
  }

  /** What lies under the brush at one place goes along to the next. */
  #drag(from: Place, to: Place): void {
    const before = this.bits.slice();
    const shift = (to.row - from.row) * this.#side + to.column - from.column;
    for (const n of this.#under(to)) {
      const [row, column] = [Math.floor(n / this.#side), n % this.#side];
      const source = { row: row - to.row + from.row, column: column - to.column + from.column };
      if (this.#isInside(source)) setTo(this.bits, n, isSet(before, n - shift));
    }
  }

  #under({ row, column }: Place): number[] {
    const places: number[] = [];
    const low = -Math.floor((this.#width - 1) / 2);
    for (let r = low; r < low + this.#width; r++) {
      for (let c = low; c < low + this.#width; c++) {
        const place = { row: row + r, column: column + c };
        if (this.#isInside(place)) places.push(place.row * this.#side + place.column);
      }
    }
    return places;
  }

  #isInside({ row, column }: Place): boolean {
    return row >= 0 && column >= 0 && row < this.#side && column < this.#side;
  }
}

/** One number of a matrix. */
export interface Cell {
  row: number;
  column: number;
}

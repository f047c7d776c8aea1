/** A matrix, row-major. */
export interface Matrix {
  values: Float64Array;
  numRows: number;
  numColumns: number;
}

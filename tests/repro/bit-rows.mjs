// Packed rows of bits as arrays of 0 and 1. The reproductions are run before the package is built, and cannot take its own.

/** The rows of draws or states, each a `Uint8Array`. */
export function unpacked({ dim, numRows, bits }) {
  const numBytes = Math.ceil(dim / 8);
  return Array.from({ length: numRows }, (_, row) => {
    // A loop: `Uint8Array.from` with a function takes ten times as long.
    const values = new Uint8Array(dim);
    for (let i = 0; i < dim; i++) values[i] = (bits[row * numBytes + (i >> 3)] >> (i & 7)) & 1;
    return values;
  });
}

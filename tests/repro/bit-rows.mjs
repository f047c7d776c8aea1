// Packed rows of bits as arrays of 0 and 1. The reproductions are run before the package is built, and cannot take its own.

/** The rows of draws or states, each a `Uint8Array`. */
export const unpacked = ({ dim, numRows, bits }) =>
  Array.from({ length: numRows }, (_, row) =>
    Uint8Array.from(
      { length: dim },
      (_, i) => (bits[row * Math.ceil(dim / 8) + (i >> 3)] >> (i & 7)) & 1,
    ),
  );

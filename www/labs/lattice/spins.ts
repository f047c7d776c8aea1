/** Sums of spins from packed bits: least significant first, a set bit is a spin up. */

const SET_BITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0;
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1;
  return count;
});

/** Σ s / D of packed spins, from −1 to 1. */
export function meanSpin(bits: Uint8Array): number {
  let up = 0;
  for (let n = 0; n < bits.length; n++) up += SET_BITS[bits[n] as number] as number;
  return (2 * up) / (8 * bits.length) - 1;
}

// Random numbers that are the same on all machines, for made-up data.

/** Uniform numbers in [0, 1): xorshift32. */
export function uniforms(seed) {
  let state = (seed * 2_654_435_761 + 88_675_123) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

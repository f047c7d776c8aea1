/** Random numbers that are the same everywhere. Runs in Node and in pages. */

/** Numbers in [0, 1) from a seed (a 31-bit linear congruential generator). */
export function* uniforms(seed) {
  for (let state = seed; ; ) {
    state = (state * 48271) % 2147483647;
    yield state / 2147483647;
  }
}

/** Spins on a side of the lattice, whose ends meet. */
export const SIDE = 64;

/** Spins that agree with a neighbour have less energy; the hotter, the less it matters. */
const modelAt = (temperature) => ({
  kind: 'ising',
  dim: SIDE ** 2,
  pattern: { kind: 'lattice', numRows: SIDE, numCols: SIDE, periodic: true },
  uniform: { coupling: 1 / temperature },
});

/**
 * Draws lattices at a temperature.
 * @returns the last lattice, the mean energy with its error, the exact one, in nats, and the digest of all draws
 */
export async function drawLattice(engine, temperature, options) {
  const model = modelAt(temperature);
  const { draws, energySummary, digest } = await engine.sample(
    {
      model,
      transition: { kind: 'swendsenWang' },
      numChains: 4,
      numWarmup: 100,
      numDraws: 200,
      energies: true,
      seed: 1,
    },
    options,
  );
  const { meanEnergy } = await engine.exact({ model }, options);
  const numBytes = draws.bits.length / draws.numRows;
  return {
    spins: draws.bits.slice(-numBytes),
    mean: energySummary.mean,
    error: energySummary.mcseMean,
    exact: meanEnergy,
    digest,
  };
}

/** The numbers of a result in a sentence. */
export const inWords = ({ mean, error, exact, digest }) =>
  `Mean energy ${mean.toFixed(1)} ± ${error.toFixed(1)} nats; exactly ${exact.toFixed(1)}. Digest ${digest.slice(0, 8)}.`;

/** Paints packed spins, a pixel each. */
export function paint(canvas, spins) {
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext('2d');
  const image = context.createImageData(SIDE, SIDE);
  for (let n = 0; n < SIDE ** 2; n++) {
    const isUp = (spins[n >> 3] >> (n & 7)) & 1;
    image.data.set(isUp ? [27, 79, 138, 255] : [246, 236, 220, 255], 4 * n);
  }
  context.putImageData(image, 0, 0);
}

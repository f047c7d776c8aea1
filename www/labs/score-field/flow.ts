/** Particles on their way from everywhere to the data, level after level. */
export interface Flow {
  numParticles: number;
  /** Where they are, `[numMoments, numParticles, 2]`; the first moment is the start. */
  values: Float64Array;
  numMoments: number;
  /** The levels in the order in which they were gone through. */
  stages: readonly Stage[];
}

export interface Stage {
  /** The last moment of it. */
  end: number;
  /** Metropolis's mean probability to accept; where all moves are taken, what it would have been. */
  acceptance: number;
  digest: string;
}

/** What was drawn stage by stage, after the start, as one flow. */
export function joined(
  start: Float64Array,
  parts: readonly { values: Float64Array; acceptance: number; digest: string }[],
): Flow {
  const all = [start, ...parts.map(({ values }) => values)];
  const values = new Float64Array(all.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of all) {
    values.set(part, at);
    at += part.length;
  }
  let end = 0;
  const stages = parts.map(({ values: own, acceptance, digest }) => {
    end += own.length / start.length;
    return { end, acceptance, digest };
  });
  return { numParticles: start.length / 2, values, numMoments: end + 1, stages };
}

/** The particles at a moment. */
export function particlesAt({ values, numParticles }: Flow, moment: number): Float64Array {
  return values.subarray(2 * numParticles * moment, 2 * numParticles * (moment + 1));
}

/** The moment at a share of the way. */
export function momentAt({ numMoments }: Flow, share: number): number {
  return Math.round(share * (numMoments - 1));
}

/** The place of the stage that a moment belongs to. */
export function stageAt({ stages }: Flow, moment: number): number {
  return Math.max(
    0,
    stages.findIndex(({ end }) => moment <= end),
  );
}

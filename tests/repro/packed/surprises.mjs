// Section 8.2 of Grosse's thesis (2014), figure 8-1: a geometric path on which one explanation of what is seen dies out and
// comes back when no chain can cross to it. The estimate of annealing is 3.50 nats too low then, its weights are nearly
// equal, and more distributions only make it calmer. See www/lib/surprising-path.js for the model.
//
// The thesis has the curve of p(z = 1) and no estimates: those are ours. z is the sign of a normal number, so that the
// model is one on the reals.

import {
  LOG_EVIDENCE,
  LOG_EVIDENCE_WITHOUT_ONE,
  LOG_NORM,
  MODEL,
  mendedShareOfOne,
  modelOfOne,
  shareOfOne,
  shareSeen,
  WIDE_REFERENCE,
} from '../../../www/lib/surprising-path.js';

export const name = 'surprises';
export const about =
  'a geometric path that loses an explanation: calm, and wrong (Grosse 2014, 8.2)';
export const source = 'Grosse 2014, section 8.2';

export const departures = [
  {
    of: 'estimates',
    paper: 'none given',
    ours: 'by annealed importance sampling with what logZ does if nothing is said, on a linear schedule',
  },
];

const settings = (quick) => ({
  numChains: 500,
  numsOfDistributions: quick ? [100, 1000] : [100, 1000, 10_000],
  /** Where z = 1 is rarest. */
  rarest: 0.496,
});

export async function run({ engine, quick, seed, log }) {
  const set = settings(quick);
  const rows = [];
  const digests = [];
  const shares = { label: 'p(z = 1), exactly', measured: {}, paper: {} };
  for (const beta of [0, 0.05, 0.1, set.rarest, 0.9, 1]) {
    shares.measured[`at${beta}`] = shareOfOne(beta);
  }
  rows.push(shares);

  const rarest = await rarestByEngine(engine, set, seed, digests);
  rows.push({ label: 'p(z = 1) where it is rarest', measured: rarest, paper: {} });
  log(`p(z = 1) at ${set.rarest}: ${rarest.share} ± ${rarest.shareError}, exactly ${rarest.exact}`);

  const anneal = async (reference, K) => {
    const seen = [];
    const { forward, warnings, digest } = await engine.logZ(
      {
        model: MODEL,
        ...(reference && { reference }),
        schedule: { kind: 'linear' },
        numChains: set.numChains,
        numDistributions: K,
        seed,
      },
      {
        // Every round, however fast they are.
        streamDraws: true,
        progressInterval: 0,
        onProgress: ({ phase, beta, states }) => {
          if (phase === 'forward' && states?.length) seen.push({ beta, share: shareSeen(states) });
        },
      },
    );
    digests.push(digest);
    const { value, standardError } = forward.logZ;
    const found = {
      logEvidence: value - LOG_NORM,
      logEvidenceError: standardError,
      error: value - LOG_NORM - LOG_EVIDENCE,
      weightEss: forward.weightEss,
      numWarnings: warnings.length,
    };
    const label = `${reference ? 'wide reference' : 'standard normal reference'}, K = ${K}`;
    rows.push({ label, measured: found, paper: {} });
    log(
      `${label}: ${found.error.toFixed(3)} ± ${standardError.toFixed(3)} nats off, ESS ${found.weightEss.toFixed(0)}`,
    );
    return { ...found, seen };
  };
  const narrow = [];
  for (const K of set.numsOfDistributions) narrow.push(await anneal(undefined, K));
  const wide = await anneal(WIDE_REFERENCE, set.numsOfDistributions.at(-1));
  rows.push({
    label: 'what is lost',
    measured: { logEvidence: LOG_EVIDENCE, lost: LOG_EVIDENCE_WITHOUT_ONE - LOG_EVIDENCE },
    paper: {},
  });
  return { settings: set, rows, checks: checks(set, { rarest, narrow, wide }), digests };
}

/** p(z = 1) by the engine, which estimates what z = 1 has, and by the formula. */
async function rarestByEngine(engine, { rarest, numChains }, seed, digests) {
  const { forward, digest } = await engine.logZ({
    model: modelOfOne(rarest),
    numChains,
    numDistributions: 1000,
    seed,
  });
  digests.push(digest);
  // What z = 0 has is its half of the positive orthant at any β.
  const odds = Math.exp(forward.logZ.value - LOG_NORM - LOG_EVIDENCE_WITHOUT_ONE);
  const share = odds / (1 + odds);
  return { share, shareError: share * forward.logZ.standardError, exact: shareOfOne(rarest) };
}

function checks(set, { rarest, narrow, wide }) {
  const grid = Array.from({ length: 1001 }, (_, at) => at / 1000);
  const geometric = grid.map((beta) => shareOfOne(beta));
  const mended = grid.map(mendedShareOfOne);
  const [last, before] = [narrow.at(-1), narrow.at(-2)];
  return [
    {
      claim:
        'z = 1 has probability 0.5 at first and about 1 − 2^−5 at the end; between, it dips close to zero',
      source: `${source}, figure 8-1`,
      holds:
        Math.abs(geometric[0] - 0.5) < 1e-12 &&
        Math.abs(geometric.at(-1) - (1 - 2 ** -5)) < 0.002 &&
        Math.min(...geometric) < 1e-5,
    },
    {
      claim: 'the probability of z = 1 becomes large around β = 0.9',
      source: `${source}, figure 8-1`,
      holds: shareOfOne(0.88) < 0.1 && shareOfOne(0.95) > 0.5,
    },
    {
      claim: 'where each explanation is normalized, z = 1 gains all the way',
      holds: mended.every((share, at) => at === 0 || share >= mended[at - 1]),
    },
    {
      claim: `the engine’s p(z = 1) at ${set.rarest} is that of the formula, within four standard errors`,
      holds:
        Math.abs(rarest.share - rarest.exact) < 4 * rarest.shareError &&
        rarest.shareError < 0.1 * rarest.exact,
    },
    {
      claim: 'all chains of the longest run have lost z = 1 from β = 0.3 on',
      holds:
        last.seen.some(({ beta }) => beta > 0.3) &&
        last.seen.every(({ beta, share }) => beta < 0.3 || share === 0),
    },
    {
      claim: `with K = ${set.numsOfDistributions.at(-1)} the estimate is 3.50 nats too low, within 0.05, and its own error below 0.02`,
      holds: Math.abs(last.error + 3.5) < 0.05 && last.logEvidenceError < 0.02,
    },
    {
      claim:
        'nothing warns: the ESS is above nine tenths of the chains, and more distributions raise it',
      holds:
        last.numWarnings === 0 &&
        last.weightEss > 0.9 * set.numChains &&
        last.weightEss > before.weightEss,
    },
    {
      claim:
        'what tells is another path: from a reference as wide as both explanations, the evidence is right within four standard errors',
      holds: Math.abs(wide.error) < 4 * wide.logEvidenceError && wide.logEvidenceError < 0.1,
    },
  ];
}

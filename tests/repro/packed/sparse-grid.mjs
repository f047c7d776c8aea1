// That the default fit of sparse rows is near the maximum of the likelihood, or says that it is not, over a grid of
// rates, correlations, numbers of rows and of units, with several seeds: see sparse.mjs for what this is about.

import { dichotomized, gapBelow } from './spikes.mjs';

export const name = 'sparse-grid';
export const about = 'the default fit of sparse rows, over a grid: near the best, or it says so';
export const source = 'Sohl-Dickstein 2012, appendix E.2';
export const departures = [
  {
    of: 'claim',
    paper: 'said of a figure that is not shown',
    ours: 'the default fit near the maximum of the likelihood, or warned, over a grid',
  },
];

const settings = (quick) => ({
  units: quick ? [10] : [10, 15, 20],
  rates: quick ? [0.02] : [0.01, 0.025, 0.05],
  correlations: quick ? [0.1, 0.5] : [0.1, 0.3, 0.5],
  numsOfRows: quick ? [5_000] : [5_000, 50_000],
  numSeeds: quick ? 2 : 10,
});
const TEST_ROWS = 20_000;
const SILENT = 0.1;

export async function run({ engine, quick, seed, log }) {
  const { units, rates, correlations, numsOfRows, numSeeds } = settings(quick);
  const rows = [];
  const digests = [];
  for (const numUnits of units) {
    for (const rate of rates) {
      for (const correlation of correlations) {
        for (const numRows of numsOfRows) {
          const gaps = [];
          for (let again = 0; again < numSeeds; again++) {
            const { data, test } = await dichotomized(engine, {
              numUnits,
              rate,
              correlation,
              numRows,
              numTestRows: TEST_ROWS,
              seed: seed + again,
            });
            const spec = { model: { kind: 'ising', dim: numUnits }, data, seed: seed + again };
            const best = await engine.fit({ ...spec, objective: { kind: 'maximumLikelihood' } });
            const most = await engine.exact({ model: best.model, data: test });
            const fit = await engine.fit(spec);
            const below = await gapBelow(engine, most.logLikelihood, fit.model, test);
            gaps.push({ below, isSilent: fit.warnings.length === 0 });
            digests.push(best.digest, fit.digest);
          }
          const silent = gaps.filter(({ isSilent }) => isSilent).map(({ below }) => below);
          const label = `${numUnits} units on in ${100 * rate} %, correlation ${correlation}, ${numRows} rows`;
          const measured = {
            numFits: gaps.length,
            numWarned: gaps.length - silent.length,
            farthest: Math.max(...gaps.map(({ below }) => below)),
            farthestSilent: Math.max(...silent, -Infinity),
          };
          rows.push({ label, measured, paper: {} });
          log(
            `${label}: ${measured.numWarned} of ${gaps.length} warned; farthest without ${measured.farthestSilent.toFixed(3)} nats`,
          );
        }
      }
    }
  }
  const checks = [
    {
      claim:
        'the default fit is within 0.1 nat a row of maximum likelihood, or says that it is not, in all',
      holds: rows.every(({ measured }) => measured.farthestSilent < SILENT),
    },
  ];
  return { rows, checks, digests };
}

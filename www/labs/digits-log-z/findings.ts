import { count, real } from '../../lib/format.js';
import type { DigitsLogZ } from './digits-log-z.svelte.js';
import { byDistributions, type RunMade } from './run-made.js';
import { PATHS } from './settings.js';

/** Standard errors of a difference of effective sample sizes from which on it is said. */
const PLAIN = 2;
/** An estimate that is off by so many nats, its interval without the truth, is calm and wrong. */
const FAR = 1;

/** What was found, in sentences made from the numbers. */
export function findingsOf({ latest, made, settings }: DigitsLogZ): string[] {
  const { geometric, moments } = latest;
  return [
    ...[geometric, moments].flatMap((run) => (run ? [estimateOf(run)] : [])),
    ...(geometric && moments ? [comparisonOf(geometric, moments)] : []),
    ...PATHS.flatMap(({ id }) => courseOf(byDistributions(made, id, settings))),
  ];
}

function estimateOf({ path, off, isCovered, settings, result }: RunMade): string {
  const { weightEss } = result.forward;
  const where = `${Math.abs(off).toFixed(2)} nats ${off < 0 ? 'below' : 'above'} the truth`;
  const interval = `the 95 % interval ${isCovered ? 'holds' : 'does not hold'} it`;
  const calm =
    !isCovered && Math.abs(off) > FAR && weightEss > 2
      ? ' The ESS does not tell: it knows nothing of what no chain has seen.'
      : '';
  return `${path.name} with ${count(settings.distributions)} distributions: ${where}; ${interval}. The ESS is ${real(weightEss, 2)} of ${count(settings.chains)}.${calm}`;
}

function comparisonOf(geometric: RunMade, moments: RunMade): string {
  const [nearer, farther] =
    Math.abs(moments.off) < Math.abs(geometric.off) ? [moments, geometric] : [geometric, moments];
  const near = `${nearer.path.name} come nearer to the truth, by ${(Math.abs(farther.off) - Math.abs(nearer.off)).toFixed(2)} nats.`;
  const [a, b] = [moments.result.forward, geometric.result.forward];
  const excess = (a.weightEss - b.weightEss) / Math.hypot(a.weightEssError, b.weightEssError);
  const higher = excess > PLAIN ? moments : excess < -PLAIN ? geometric : undefined;
  const ess = higher
    ? `The ESS along ${higher.path.name.toLowerCase()} is the higher one, by ${real(Math.abs(excess), 2)} standard errors.`
    : 'The two ESS do not differ by two standard errors.';
  return `${near} ${ess}`;
}

/** What more distributions do. */
function courseOf(runs: readonly RunMade[]): string[] {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last || first === last) return [];
  const ess = ({ result }: RunMade) => real(result.forward.weightEss, 2);
  return [
    `${first.path.name}, from ${count(first.settings.distributions)} to ${count(last.settings.distributions)} distributions: off by ${Math.abs(first.off).toFixed(2)} and by ${Math.abs(last.off).toFixed(2)} nats, ESS ${ess(first)} and ${ess(last)}.`,
  ];
}

import { count, decimal, real } from '../../lib/format.js';
import { LOG_EVIDENCE_WITHOUT_ONE, shareOfOne } from '../../lib/surprising-path.js';
import type { RunMade } from './run-made.js';
import { REFERENCES } from './settings.js';

/** What was found, in sentences made from the numbers. */
export function findingsOf(latest: RunMade | undefined, made: readonly RunMade[]): string[] {
  return [...(latest ? [...fateOf(latest), estimateOf(latest)] : []), ...comparisonsOf(made)];
}

function fateOf({ settings, sightings, numOnes }: RunMade): string[] {
  const last = sightings.at(-1);
  if (!last) return [];
  const share = shareOfOne(last.beta, REFERENCES[settings.reference].start);
  const few = numOnes < 0.5 * share * settings.chains;
  return [
    `At β = ${last.beta.toFixed(2)}, where chains were last seen, ${ofChains(numOnes, settings.chains)} z = 1; by the formula it would be ${Math.round(100 * share)} % of them.${few ? ' The others have not crossed back.' : ''}`,
  ];
}

function estimateOf({
  off,
  error,
  isCovered,
  numOnes,
  settings,
  estimate,
  result,
}: RunMade): string {
  const where = `${Math.abs(off).toFixed(2)} nats ${off < 0 ? 'below' : 'above'} the truth, ${real(Math.abs(off) / error, 2)} of its standard errors`;
  const interval = `its 95 % interval ${isCovered ? 'holds' : 'does not hold'} the truth`;
  const lost =
    numOnes === 0
      ? ` It is ${Math.abs(estimate - LOG_EVIDENCE_WITHOUT_ONE).toFixed(2)} nats from ln p(x > 0, z = 0) = ${decimal(LOG_EVIDENCE_WITHOUT_ONE, 3)}: what there is without z = 1.`
      : '';
  const warned = result.warnings.length > 0 ? 'The engine warns.' : 'The engine warns of nothing';
  const ess = `the ESS is ${real(result.forward.weightEss, 3)} of ${count(settings.chains)}`;
  const calm =
    result.warnings.length > 0 ? `${warned} It finds that ${ess}.` : `${warned}: ${ess}.`;
  return `The estimate is ${where}; ${interval}.${lost} ${calm}`;
}

/** What more distributions do, and what another reference does. */
function comparisonsOf(made: readonly RunMade[]): string[] {
  const lost = made.filter(
    ({ settings, numOnes }) => settings.reference === 'normal' && numOnes === 0,
  );
  const most = lost.at(-1);
  const fewest = lost.find(({ settings }) => settings.chains === most?.settings.chains);
  const found: string[] = [];
  if (fewest && most && most.settings.distributions > fewest.settings.distributions) {
    const from = (print: (run: RunMade) => string) => `from ${print(fewest)} to ${print(most)}`;
    const isCalmer = most.error < fewest.error && Math.abs(most.off) > 1;
    found.push(
      `From the standard normal, with ${count(fewest.settings.distributions)} and with ${count(most.settings.distributions)} distributions: the standard error goes ${from(({ error }) => error.toFixed(4))}, the ESS ${from(({ result, settings }) => `${real(result.forward.weightEss, 3)} of ${count(settings.chains)}`)}, and the estimate ${from(({ off }) => decimal(off, 2))} nats off.${isCalmer ? ' More distributions make it calmer, not better.' : ''}`,
    );
  }
  const wide = made.filter(({ settings }) => settings.reference === 'wide').at(-1);
  if (wide && most) {
    const apart = Math.abs(wide.estimate - most.estimate) / Math.hypot(wide.error, most.error);
    found.push(
      `The two references say ${decimal(most.estimate, 3)} and ${decimal(wide.estimate, 3)}, ${real(apart, 2)} standard errors apart.${apart > 5 ? ' Both cannot be right: that tells, and no single run does.' : ''}`,
    );
  }
  return found;
}

/** So many of the chains, with their verb. */
export function ofChains(num: number, all: number): string {
  return `${num === 0 ? 'none' : count(num)} of ${count(all)} chains ${num === 1 || num === 0 ? 'has' : 'have'}`;
}

import type { RunStatus } from '../../frame/run-control.js';
import { count, decimal, uncertain } from '../../lib/format.js';
import type { Ranked, Standing } from './standing.js';
import type { Step } from './steps.js';

/** A difference of less than so many nats is nothing but rounding. */
const NOTHING = 1e-9;

/** The mean log likelihood in words: −15.06, or −14.87 ± 0.03. */
export function likelihoodText({ value, annealingError, exact, judged }: Standing): string {
  if (!judged) return '–';
  return exact === undefined ? uncertain(value, annealingError) : decimal(value, 3);
}

/** A number with its standard error; without it where that is rounding alone. */
export function estimateText(value: number, error: number): string {
  return error < 1e-6 ? decimal(value, 3) : uncertain(value, error);
}

/** How it is known. */
export function knownText({ exact, estimates, judged }: Standing): string {
  if (exact !== undefined) return 'exact';
  const last = estimates.at(-1);
  return judged && last ? `annealed, ${count(last.numDistributions)} distributions` : '';
}

/** A difference with its standard error. */
export function differenceText(difference: number, error: number): string {
  if (Math.abs(difference) < NOTHING && error < NOTHING) return '0';
  return uncertain(difference, error);
}

/** The places that one may have: 2, or 2 to 4. */
export function placeText({ first, last }: Ranked): string {
  return first >= last ? String(first) : `${first}–${last}`;
}

/** What may be concluded of one and the one after it in the order of the means. */
export function verdictText({ contestant, judged, next }: Ranked): string {
  if (!next) return 'The last.';
  const { standing, difference, error, verdict } = next;
  const other = standing.contestant.short;
  const by = `${differenceText(Math.abs(difference), error)} nats`;
  switch (verdict) {
    case 'tie':
      return `A tie with ${other}: ${by} is inside of its error.`;
    case 'ahead':
    case 'behind':
      return `Ahead of ${other} by ${by}.`;
    case 'doubtful': {
      const isFavoured = !judged.isExact && !judged.isGenerative;
      const isWronged = !standing.judged?.isExact && standing.contestant.isGenerative;
      const reasons = [
        ...(isFavoured ? [`annealing may have favoured ${contestant.short}`] : []),
        ...(isWronged ? [`annealing may have wronged ${other}`] : []),
      ];
      return `${by} before ${other}, which may not be concluded: ${reasons.join(', and ')}.`;
    }
  }
}

/** What a contestant is at, in a few words. */
export function stateText(
  { contestant, entry, estimates }: Standing,
  now: Step | undefined,
  status: RunStatus,
  part: number,
): string {
  if (entry.failure !== undefined) return 'out';
  if (now?.id === contestant.id && (status === 'running' || status === 'paused')) {
    const percent = `${Math.floor(10 * part) * 10} %`;
    if (now.kind === 'fit') return `training, ${percent}`;
    if (now.kind === 'logZ') return `annealing, ${percent}`;
    return 'judging';
  }
  if (!entry.fit) return 'waiting';
  const last = estimates.at(-1);
  if (last) return `annealed, ${count(last.numDistributions)} distributions`;
  return entry.energies ? 'judged' : 'trained';
}

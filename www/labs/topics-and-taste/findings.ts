import { estimateOf } from '../../lib/estimates.js';
import { decimal, uncertain } from '../../lib/format.js';
import { TASTES } from './catalogue.js';
import { gapOf } from './scores.js';
import type { Taste } from './taste.svelte.js';
import type { Topics } from './topics.svelte.js';
import { likingsOf } from './words.js';

/** What was found, in sentences made from the numbers. */

/** From this correlation on a unit is said to be one of the tastes. */
const ALIKE = 0.75;

export function tasteFindings({ bounds, learned, machine, isLearned }: Taste): string[] {
  if (!bounds || !learned || !machine || !isLearned) return [];
  const [alone, best] = [bounds.alone, bounds.truth].map(({ nats }) => estimateOf(nats).value) as [
    number,
    number,
  ];
  const mine = estimateOf(learned.nats).value;
  const share = (alone - mine) / (alone - best);
  const gap = gapOf(learned.nats, bounds.truth.nats);
  const far = Math.abs(gap.value) < 2 * gap.error ? ', which may be chance' : '';
  return [
    `Of what can be known of a held-out rating beyond how films are rated in general, the machine has ${decimal(100 * share, 0)} %: it needs ${decimal(mine, 3)} nats, where frequencies need ${decimal(alone, 3)} and the truth ${decimal(best, 3)}.`,
    `To the truth it lacks ${uncertain(gap.value, gap.error)} nats a rating${far}.`,
    ...tastesFound(machine),
  ];
}

function tastesFound({ model }: NonNullable<Taste['machine']>): string[] {
  const likings = likingsOf(model);
  const found = TASTES.filter((taste) =>
    likings.some(
      ({ nearest }) => nearest.taste === taste && Math.abs(nearest.correlation) >= ALIKE,
    ),
  );
  const missing = TASTES.filter((taste) => !found.includes(taste));
  if (found.length === 0)
    return ['No hidden unit is one of the five tastes by itself: each mixes some of them.'];
  const first = `These tastes have a hidden unit of their own: ${found.join(', ')}.`;
  return [
    missing.length > 0
      ? `${first} These are mixed over several units: ${missing.join(', ')}.`
      : first,
  ];
}

export function topicFindings({ perplexity, alone, reading, nearest, numbers }: Topics): string[] {
  if (perplexity === undefined || alone === undefined) return [];
  const change = 100 * (1 - perplexity / alone);
  const less =
    change > 0
      ? `Knowing what a paragraph is about makes its words ${decimal(change, 0)} % less uncertain: perplexity falls from ${decimal(alone, 1)} to ${decimal(perplexity, 1)}.`
      : `The machine has learned nothing of use for paragraphs it has not seen: their perplexity is ${decimal(perplexity, 1)}, by frequencies alone ${decimal(alone, 1)}.`;
  if (!reading || numbers.length === 0) return [less];
  const on = reading.hidden.filter((p) => p > 0.5).length;
  const pages = [...new Set(nearest.map(({ page }) => page))].join(', ');
  return [
    less,
    `Your text turns ${on} of ${reading.hidden.length} topics on. Nearest to it: ${pages}.`,
  ];
}

import { choice, type Field, integer, real, text, type ValuesOf } from '../../lib/fields.js';
import { NUM_THINGS } from './catalogue.js';

/** Longest text that is typed or pasted, and longest that a link takes along. */
export const MAX_TEXT = 2000;
const MAX_SHARED = 1000;

/** What is rated at first: one who likes space and calm, and neither songs nor dread. */
const FIRST = new Map([
  [0, 5],
  [8, 5],
  [11, 4],
  [18, 2],
  [20, 2],
  [22, 1],
  [26, 1],
  [28, 2],
  [34, 4],
  [36, 3],
]);

/** One digit for each thing, 0 where it is not rated. */
function ratings(): Field<string> {
  const digits = Array.from({ length: NUM_THINGS }, (_, thing) => FIRST.get(thing) ?? 0);
  const expects = `${NUM_THINGS} digits from 0 to 5, one for each thing`;
  return { ...text(new RegExp(`^[0-5]{${NUM_THINGS}}$`), expects), initial: digits.join('') };
}

/** What is typed in at first. */
const FIRST_TEXT =
  'A chain that starts in one mode rarely crosses to the other. Tempering puts replicas on a ladder, and swaps let cold ones move.';

/** The state of the lab that a link carries. */
export const fields = {
  task: choice('taste', ['taste', 'topics']),
  ratings: ratings(),
  /** People to learn from. */
  people: integer(3000, 200, 10_000),
  /** Hidden units of the machine that learns, and passes over the people. */
  tastes: integer(8, 1, 16),
  epochs: integer(60, 1, 300),
  rate: real(1, 0.001, 5),
  penalty: real(0.001, 0, 1),
  /** Hidden units of the machine of documents, and passes over them. */
  topics: integer(10, 2, 14),
  passes: integer(300, 1, 2000),
  textRate: real(0.01, 0.0001, 1),
  textPenalty: real(0.005, 0, 1),
  text: { ...text(/^[\s\S]{0,2000}$/, 'a text'), initial: FIRST_TEXT },
  seed: integer(1, 0, 2 ** 32 - 1),
};

export type Settings = ValuesOf<typeof fields>;
type Name = keyof Settings;

/** What the people depend on, what their machine, and what the machine of documents. */
export const OF_PEOPLE: readonly Name[] = ['people', 'seed'];
export const OF_TASTE: readonly Name[] = [...OF_PEOPLE, 'tastes', 'epochs', 'rate', 'penalty'];
export const OF_TOPICS: readonly Name[] = ['topics', 'passes', 'textRate', 'textPenalty', 'seed'];

/** What a link takes along: not too long a text. */
export function shared(settings: Settings): Settings {
  const isLong = encodeURIComponent(settings.text).length > MAX_SHARED;
  return isLong ? { ...settings, text: fields.text.initial } : settings;
}

import { trueMachine } from '../../lib/taste-people.js';

/** What people differ in. */
export const TASTES = ['space', 'slow', 'songs', 'dread', 'home'] as const;

/** Films that nobody has made: how well they are thought of, and how much each taste wants them, −2 to 2. */
const CATALOGUE: readonly (readonly [title: string, ...numbers: number[]])[] = [
  ['A Kettle on Mars', 1, 2, 0, 0, 0, 1],
  ['The Ninth Moon Is Late', 0, 2, 1, 0, 0, 0],
  ['Postcards from Orbit', 1, 2, 1, 0, -1, 0],
  ['Gravity Takes a Day Off', 0, 2, 0, 1, 0, -1],
  ['The Lighthouse at Saturn', 0, 2, 0, 0, 1, 0],
  ['Captain Dust', -1, 2, -1, 0, 0, 0],
  ['Comet Season', 0, 1, 0, 1, 0, 0],
  ['Airlock Blues', 0, 1, 0, 2, 0, 0],
  ['The Quiet Between Planets', 0, 2, 2, 0, 0, 0],
  ['Snail Over the Hill', 0, 0, 2, 0, 0, 1],
  ['Four Hours of Rain', -1, 0, 2, 0, 0, -1],
  ['The Ferry Waits', 0, 0, 2, 0, 0, 0],
  ['Watching the Paint', -1, 0, 2, -1, 0, 0],
  ['A Very Long Lake', 0, 0, 2, 0, 1, 0],
  ['The Clockmender’s Nap', 1, 0, 2, 0, 0, 1],
  ['Moss, Mostly', 0, -1, 2, 0, 0, 0],
  ['Barley, Then Wind', 0, 0, 1, 0, 0, 1],
  ['Tuba at Midnight', 0, 0, 0, 2, 1, 0],
  ['Sing, Said the Baker', 1, 0, 0, 2, 0, 1],
  ['Two Left Tap Shoes', 1, 0, -1, 2, 0, 0],
  ['The Accordion Heist', 1, 0, -1, 2, 0, 0],
  ['Choir of the Tram Depot', 0, 0, 0, 2, 0, 1],
  ['Loud Little Opera', -1, 0, 0, 2, 0, 0],
  ['The Humming Plumber', 0, 0, 0, 2, -1, 0],
  ['Waltz for Radiators', 0, 0, 1, 1, 0, 0],
  ['The Cellar Counts Back', 0, 0, 0, 0, 2, -1],
  ['Do Not Feed the Fog', 0, 0, 0, 0, 2, 0],
  ['Teeth in the Teapot', 0, 0, 0, 0, 2, -1],
  ['The Thirteenth Stair', 0, 0, 0, 0, 2, 0],
  ['Who Left the Pond On', -1, 0, 0, 0, 2, 0],
  ['Night of the Polite Ghosts', 1, 0, 0, 0, 1, 1],
  ['A Scream in the Pantry', 0, 0, -1, 0, 2, 0],
  ['The Hollow Chorus', 0, 0, 0, 1, 2, 0],
  ['Something on Deck Four', 0, 1, 0, 0, 2, 0],
  ['Grandmother’s Third Sofa', 1, 0, 0, 0, 0, 2],
  ['Soup for Everyone', 1, 0, 0, 0, -1, 2],
  ['The Neighbours’ Hedge', 0, 0, 0, 0, 0, 2],
  ['A Key Under the Geranium', 0, 0, 1, 0, 0, 2],
  ['Six Aunts and a Dog', 1, 0, 0, 1, 0, 2],
  ['The Last Jam of August', 0, 0, 1, 0, 0, 2],
];

export const TITLES: readonly string[] = CATALOGUE.map(([title]) => title);
/** The numbers of each. */
export const THINGS: readonly (readonly number[])[] = CATALOGUE.map(([, ...numbers]) => numbers);
export const NUM_THINGS = CATALOGUE.length;
/** Bits of a row: one for each value of each thing. */
export const NUM_BITS = 5 * NUM_THINGS;

/** The machine that makes the people. */
export const TRUE_MACHINE = { ...trueMachine(THINGS), kind: 'categoricalRbm' } as const;

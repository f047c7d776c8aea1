// Table 4.2 of Grosse's thesis (2014): the structures found in four tables of the world, by the same search.
//
// None of the thesis's tables can be had here. Ours are of the same kinds; www/data/README.md says where they are from.

import { readFile } from 'node:fs/promises';
import { tableOfText, withMeansForZeros } from '../../www/lib/own-table.js';
import { normals } from '../../www/lib/random-models.js';
import { readScene, SCENES } from './photographs.mjs';
import { uniforms } from './uniforms.mjs';
import { whitened } from './whitening.mjs';

export const name = 'structure-real';
export const about = 'structures of four tables of the world (Grosse 2014, table 4.2)';
export const source = 'Grosse 2014, table 4.2';

export const departures = [
  {
    of: 'walking',
    paper: '200 frames, 45 angles and displacements of a body',
    ours: '100 times, 60 accelerations and rotation rates of 10 walks',
  },
  {
    of: 'image patches',
    paper: '1,000 of 12 × 12 pixels, 10 scenes',
    ours: '600 of 12 × 12 pixels, 4 photographs',
  },
  {
    of: '20 Questions',
    paper: '1,000 things, 218 questions',
    ours: '101 animals, 16 traits, with noise of standard deviation 0.1',
  },
  {
    of: 'Senate',
    paper: '111th, 696 votes; absences unobserved',
    ours: '106th, 672 votes; absences are the mean of the vote; noise of standard deviation 0.1',
  },
  { of: 'structures expanded of a level', paper: '3', ours: '2' },
];

const readTable = async (file) =>
  tableOfText(await readFile(new URL(`../../www/data/${file}`, import.meta.url), 'utf8')).rows;

/** Entries that are few different numbers, with a little noise: without it a cluster could have a variance of 0. */
function withNoise(rows, seed) {
  const normal = normals(seed);
  return rows.map((row) => row.map((x) => x + 0.1 * normal()));
}

/** Patches of photographs that are no textures, blurred and whitened as Olshausen and Field did (1996). */
async function patches(count, seed) {
  const side = 12;
  const scenes = (await Promise.all(SCENES.map(readScene))).map(whitened);
  const uniform = uniforms(seed);
  return Array.from({ length: count }, (_, n) => {
    const { size, pixels } = scenes[n % scenes.length];
    // Away from the border, where the filter sees the other side.
    const corner = () => 4 + Math.floor((size - side - 8) * uniform());
    const [top, left] = [corner(), corner()];
    return Array.from(
      { length: side * side },
      (_, at) => pixels[(top + Math.floor(at / side)) * size + left + (at % side)],
    );
  });
}

/** What is searched, and the best of the thesis at each level: one with as many productions as its place says. */
const TABLES = [
  {
    label: 'animals',
    rows: async (seed) => withNoise(await readTable('animals.csv'), seed),
    standardize: 'columns',
    paper: ['MG + G', 'M(GG + G) + G'],
  },
  {
    label: 'walking',
    rows: () => readTable('walking.csv'),
    standardize: 'columns',
    paper: ['CG + G', 'C(GG + G) + G'],
  },
  {
    label: 'Senate',
    rows: async (seed) => withNoise(withMeansForZeros(await readTable('senate.csv')), seed),
    standardize: 'whole',
    paper: ['GMᵀ + G', '(MG + G)Mᵀ + G'],
  },
  {
    label: 'image patches',
    rows: (seed) => patches(600, seed),
    standardize: 'whole',
    paper: ['GG + G', '(exp(G) ∘ G)G + G', '(exp(GG + G) ∘ G)G + G'],
  },
];

export async function run({ engine, quick, seed, log }) {
  const settings = quick
    ? { maxDepth: 1, keep: 1, numSweeps: 40, numSamples: 1 }
    : { maxDepth: 3, keep: 2, numSweeps: 50, numSamples: 2 };
  const [rows, digests, found] = [[], [], []];
  for (const { label, rows: read, standardize, paper } of quick ? TABLES.slice(0, 2) : TABLES) {
    const table = await read(seed);
    const { text, score, levels, digest } = await engine.structure({
      states: Float64Array.from(table.flat()),
      dim: table[0].length,
      standardize,
      ...settings,
      seed,
    });
    digests.push(digest);
    // Level 0 is G.
    const best = levels.slice(1).map(({ candidates, best, gain, gainError }) => {
      const { text, score } = candidates[best[0]];
      return { text, score, gain, gainError };
    });
    for (const [at, level] of best.entries()) {
      log(
        `${label}, level ${at + 1}: ${level.text} gains ${level.gain.toFixed(2)} ± ${level.gainError.toFixed(2)}; the thesis: ${paper[at] ?? '–'}`,
      );
      const inThesis = levels[at + 1].candidates.find((one) => one.text === paper[at]);
      rows.push({
        label: `${label}, level ${at + 1}`,
        measured: {
          found: level.text,
          gain: level.gain,
          gainError: level.gainError,
          isThesis: Number(level.text === paper[at]),
          // Of the structure that the thesis found, if it was tried.
          ...(inThesis && { behind: level.score - inThesis.score }),
        },
        paper: paper[at] ? { found: paper[at] } : {},
      });
    }
    rows.push({
      label,
      measured: { found: text, score, size: table.length, columns: table[0].length },
      paper: { found: paper.at(-1) },
    });
    found.push({ label, text, best, paper });
  }
  return { settings, rows, checks: checks(found), digests };
}

/** A claim for each level that the thesis has, as far as the search went. */
function checks(found) {
  const ORDINALS = ['first', 'second', 'third'];
  return found.flatMap(({ label, best, paper }) =>
    paper.slice(0, best.length).map((text, at) => ({
      claim: `${label}: the best structure of the ${ORDINALS[at]} level is the thesis’s, ${text}`,
      holds: best[at].text === text,
    })),
  );
}

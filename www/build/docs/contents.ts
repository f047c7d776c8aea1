/**
 * Which pages the documentation has, and in which order. A page is a Markdown file in `www/docs`; its address is its
 * path without `.md`. A file that is not listed is refused, so that none is forgotten; one that is listed and missing
 * is refused too.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readingMinutes } from './reading-time.js';
import { plainText } from './text.js';

/** A page before it is rendered. */
export interface Source {
  /** The path below `www/docs` without `.md`: `guides/fit`; `index` is the page at `docs/`. */
  slug: string;
  /** What kind of page it is, as search results are labelled. */
  label: string;
  /** The heading under which it is listed. */
  section: string;
  title: string;
  /** One or two sentences, from its first paragraph. */
  summary: string;
  markdown: string;
  /** Whole minutes for a chapter of the course. */
  minutes?: number;
  /** Its code, where it is not English. */
  language?: string;
}

interface Section {
  title: string;
  /** What search results of it are labelled. */
  label: string;
  slugs: readonly string[];
}

const sections: readonly Section[] = [
  { title: 'Start', label: 'Guide', slugs: ['index', 'guides/install', 'guides/first-steps'] },
  {
    title: 'Course',
    label: 'Course',
    slugs: [
      'course',
      'course/energies',
      'course/chains',
      'course/gibbs-and-clusters',
      'course/learning',
      'course/dynamics',
      'course/annealing',
      'course/calm-and-wrong',
      'course/evidence',
      'course/memories',
      'course/structure',
    ],
  },
  {
    title: 'Guides',
    label: 'Guide',
    slugs: [
      'guides/models',
      'guides/data',
      'guides/fit',
      'guides/sample',
      'guides/log-z',
      'guides/exact',
      'guides/evidence',
      'guides/network',
      'guides/kernels',
      'guides/structure',
      'guides/energies',
      'guides/memory',
      'guides/patches',
      'guides/jobs',
      'guides/when-things-fail',
      'guides/worth',
      'guides/versions',
      'guides/recipes',
      'guides/live-code',
      'guides/command-line',
      'guides/python',
      'guides/embed',
      'guides/native',
    ],
  },
  {
    title: 'Learning',
    label: 'Method',
    slugs: [
      'methods/minimum-probability-flow',
      'methods/pseudolikelihood',
      'methods/score-matching',
      'methods/contrastive-divergence',
      'methods/mean-field',
      'methods/natural-gradient',
      'methods/expectation-maximization',
      'methods/image-models',
      'methods/hopfield',
    ],
  },
  {
    title: 'Sampling',
    label: 'Method',
    slugs: [
      'methods/markov-chains',
      'methods/gibbs',
      'methods/clusters',
      'methods/hmc',
      'methods/nuts',
      'methods/langevin',
      'methods/slice',
      'methods/tempering',
    ],
  },
  {
    title: 'Normalizing',
    label: 'Method',
    slugs: [
      'methods/annealed-importance-sampling',
      'methods/hamiltonian-annealing',
      'methods/paths',
      'methods/schedules',
      'methods/bounds',
      'methods/sequential-monte-carlo',
      'methods/exact',
      'methods/evidence',
    ],
  },
  {
    title: 'Evidence',
    label: 'Findings',
    slugs: ['methods/bits', 'reproductions', 'benchmarks'],
  },
];

/** Pages that come with other parts of the project, and are listed as soon as they are there. */
const optional = new Set(['guides/install', 'guides/command-line', 'guides/embed']);

/** All pages in order. */
export function readSources(folder: string): Source[] {
  const files = readdirSync(folder, { recursive: true })
    .map((file) => String(file).replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -3));
  const listed = sections.flatMap(({ slugs }) => slugs);
  const stray = files.filter((file) => !listed.includes(file));
  if (stray.length > 0) {
    throw new Error(`www/docs/${stray[0]}.md is in no section of www/build/docs/contents.ts.`);
  }
  return sections.flatMap(({ title: section, label, slugs }) =>
    slugs
      .filter((slug) => files.includes(slug) || !optional.has(slug))
      .map((slug) => {
        const markdown = readFileSync(join(folder, `${slug}.md`), 'utf8');
        const page = { slug, section, label, markdown, ...headOf(markdown, slug) };
        const isChapter = slug.startsWith('course/');
        return isChapter ? { ...page, minutes: readingMinutes(markdown) } : page;
      }),
  );
}

/** The title, which is the first line, and the first sentences of the paragraph below it. */
export function headOf(markdown: string, slug: string): { title: string; summary: string } {
  const found = /^# (.+)\n\n([\s\S]+?)(?:\n\n|$)/.exec(markdown);
  if (!found?.[1] || !found[2]) {
    throw new Error(`www/docs/${slug}.md must begin with "# Title" and a paragraph.`);
  }
  const text = plainText(found[2]);
  const summary = /^.{60,220}?[.:?!](?= |$)/.exec(text)?.[0] ?? text.slice(0, 200);
  return { title: plainText(found[1]), summary };
}

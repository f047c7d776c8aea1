import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { estimateOf } from '../../lib/estimates.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { NUM_THINGS, TITLES } from './catalogue.js';
import { tasteFit, topicFit } from './machine.js';
import { ofThing } from './people.js';
import { meanOf } from './scores.js';
import type { TopicsAndTaste } from './topics-and-taste.svelte.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: TopicsAndTaste, pictures: () => Element): DownloadItem[] {
  const sheet: DownloadItem = {
    label: 'Charts, PNG',
    detail: 'The charts on one sheet, as shown',
    enabled: true,
    save: () => {
      const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
      picturesToPng(pictures(), 'unnorm · Topics and taste', colours).then(
        (png) => download('topics-and-taste.png', png, 'image/png'),
        (error: unknown) => lab.run.report(error),
      );
    },
  };
  if (lab.isTaste) {
    return [
      {
        label: 'Model, JSON',
        detail: 'Spec, weights, biases, numbers, digest',
        enabled: lab.digest !== undefined,
        save: () => download('taste.json', tasteJson(lab), 'application/json'),
      },
      {
        label: 'Predictions, CSV',
        detail: 'Each film: your rating, what is foretold, the truth',
        enabled: lab.taste.shown !== undefined && !lab.taste.isReading,
        save: () => download('taste.csv', tasteCsv(lab), 'text/csv'),
      },
      sheet,
    ];
  }
  return [
    {
      label: 'Model, JSON',
      detail: 'Spec, words, weights, biases, numbers, digest',
      enabled: lab.digest !== undefined,
      save: () => download('topics.json', topicsJson(lab), 'application/json'),
    },
    {
      label: 'Words, CSV',
      detail: 'Each word: its frequency, its weight in each topic',
      enabled: lab.digest !== undefined,
      save: () => download('topics.csv', topicsCsv(lab), 'text/csv'),
    },
    sheet,
  ];
}

/** Arrays of numbers as JSON has them. */
function plain(model: object): object {
  return Object.fromEntries(
    Object.entries(model).map(([name, value]) => [
      name,
      ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value,
    ]),
  );
}

function tasteJson(lab: TopicsAndTaste): string {
  const { machine, learned, bounds, course } = lab.taste;
  const both = (score: typeof learned) =>
    score && { nats: estimateOf(score.nats), meanAbsoluteError: estimateOf(score.off) };
  return JSON.stringify(
    {
      link: lab.link(),
      spec: tasteFit(lab.plainSettings),
      titles: TITLES,
      heldOut: { learned: both(learned), truth: both(bounds?.truth), alone: both(bounds?.alone) },
      course,
      digest: machine?.digest,
      seconds: machine?.seconds,
      model: machine && plain(machine.model),
    },
    null,
    1,
  );
}

function tasteCsv({ taste }: TopicsAndTaste): string {
  const { reading, truth, ratings } = taste;
  const values = [1, 2, 3, 4, 5];
  const head = [
    'film',
    'rating',
    'mean',
    ...values.map((n) => `p${n}`),
    'true mean',
    ...values.map((n) => `true p${n}`),
  ];
  const lines = Array.from({ length: NUM_THINGS }, (_, thing) => {
    const mine = reading && ofThing(reading.conditionals, thing);
    const right = ofThing(truth, thing);
    // Of what is rated the truth says nothing: it is given.
    const isRated = ratings[thing] !== 0;
    return [
      `"${TITLES[thing]}"`,
      ratings[thing] || '',
      mine ? meanOf(mine) : '',
      ...values.map((n) => mine?.[n - 1] ?? ''),
      isRated ? '' : meanOf(right),
      ...values.map((n) => (isRated ? '' : (right[n - 1] ?? ''))),
    ].join(',');
  });
  return `${[head.join(','), ...lines].join('\n')}\n`;
}

function topicsJson(lab: TopicsAndTaste): string {
  const { machine, corpus, perplexity, alone, course } = lab.topics;
  return JSON.stringify(
    {
      link: lab.link(),
      spec: topicFit(lab.plainSettings, corpus?.words.length ?? 0),
      words: corpus?.words,
      perplexity: { learned: perplexity, alone },
      course,
      digest: machine?.digest,
      seconds: machine?.seconds,
      model: machine && plain(machine.model),
    },
    null,
    1,
  );
}

function topicsCsv({ topics }: TopicsAndTaste): string {
  const { machine, corpus, shares } = topics;
  if (!machine || !corpus) return '';
  const { numHidden, numWords, weights } = machine.model;
  const units = Array.from({ length: numHidden }, (_, unit) => unit);
  const lines = corpus.words.map((word, n) =>
    [word, shares?.[n] ?? '', ...units.map((unit) => weights[unit * numWords + n])].join(','),
  );
  return `${[['word', 'frequency', ...units.map((unit) => `topic ${unit + 1}`)].join(','), ...lines].join('\n')}\n`;
}

/** A network that rows are drawn from: what is found in them can be held against it. */
export interface Example {
  name: string;
  /** One sentence on the rows. */
  about: string;
  /** Of the nodes. */
  names: readonly string[];
  /** Log odds ratios ω of the pairs that are linked. */
  edges: readonly (readonly [from: string, to: string, logOdds: number])[];
  /** The log odds of each node where half of every neighbour is on. */
  leanings: readonly number[];
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `v${n + 1}`);

const SYMPTOMS = [
  'sad mood',
  'no interest',
  'guilt',
  'fatigue',
  'poor sleep',
  'slow thought',
  'worry',
  'restless',
  'tense',
  'irritable',
  'fear',
  'panic',
];

export const EXAMPLES = {
  sparse: {
    name: 'Sparse, 20 nodes',
    about:
      'Made up: rows drawn exactly from a network of 20 nodes and 24 edges, 7 of them negative.',
    names: numbered(20),
    edges: [
      ['v1', 'v2', 1.4],
      ['v1', 'v3', 1.1],
      ['v2', 'v4', -1.2],
      ['v3', 'v5', 1.6],
      ['v4', 'v6', 1.0],
      ['v5', 'v6', 0.4],
      ['v5', 'v7', -1.0],
      ['v6', 'v8', 1.3],
      ['v7', 'v9', 1.2],
      ['v8', 'v10', -0.5],
      ['v9', 'v10', 0.9],
      ['v9', 'v11', 1.5],
      ['v10', 'v12', 1.1],
      ['v11', 'v13', -1.3],
      ['v12', 'v14', 0.8],
      ['v13', 'v14', 1.2],
      ['v13', 'v15', 1.0],
      ['v14', 'v16', -0.9],
      ['v15', 'v17', 1.7],
      ['v16', 'v18', 1.1],
      ['v17', 'v19', -1.1],
      ['v18', 'v19', 0.9],
      ['v18', 'v20', 1.3],
      ['v1', 'v20', -0.4],
    ],
    leanings: [
      0.2, -0.3, 0, 0.4, -0.2, 0.1, -0.4, 0, 0.3, -0.1, 0.2, 0, -0.3, 0.1, -0.2, 0.4, 0, -0.1, 0.3,
      -0.4,
    ],
  },
  symptoms: {
    name: 'Two communities',
    about: 'Made up, of nobody: twelve items in two communities, joined by poor sleep and worry.',
    names: SYMPTOMS,
    edges: [
      ['sad mood', 'no interest', 1.6],
      ['sad mood', 'guilt', 1.3],
      ['no interest', 'fatigue', 1.1],
      ['guilt', 'slow thought', 0.9],
      ['fatigue', 'poor sleep', 1.4],
      ['fatigue', 'slow thought', 1.2],
      ['sad mood', 'slow thought', 0.8],
      ['poor sleep', 'worry', 1.2],
      ['worry', 'tense', 1.4],
      ['worry', 'fear', 1.1],
      ['restless', 'tense', 1.3],
      ['restless', 'irritable', 1.2],
      ['tense', 'irritable', 0.8],
      ['fear', 'panic', 1.7],
      ['tense', 'panic', 0.7],
    ],
    leanings: [-0.5, -0.6, -0.8, -0.2, -0.1, -0.7, 0, -0.6, -0.2, -0.4, -0.8, -1],
  },
  independent: {
    name: 'Nothing to find',
    about: 'Made up: fifteen columns drawn independently. Every edge that is found is false.',
    names: numbered(15),
    edges: [],
    leanings: [0, 0.5, -0.5, 1, -1, 0.2, -0.2, 0.7, -0.7, 0, 0.4, -0.4, 0.9, -0.9, 0.1],
  },
} as const satisfies Record<string, Example>;

export type ExampleId = keyof typeof EXAMPLES;
export const EXAMPLE_IDS = Object.keys(EXAMPLES) as ExampleId[];

export function exampleOf(data: ExampleId | 'own'): Example | undefined {
  return data === 'own' ? undefined : EXAMPLES[data];
}

import type { FormulaSpec, SampleSpec } from 'unnorm';

/** What is drawn, the energy that is typed for it, and what its parameters are in truth. */
export interface Example {
  name: string;
  /** One sentence on the data. */
  about: string;
  variables: readonly string[];
  isBinary: boolean;
  formula: string;
  /** As a link has them: a value to start from, with a plus where the parameter is greater than 0. */
  starts: string;
  truth: Readonly<Record<string, number>>;
  /** log Z of the energy at these, in nats. */
  logZ: number;
  /** Where draws come from. The first state of a chain is an exact draw, and so is the second. */
  source: Pick<SampleSpec, 'model' | 'transition'>;
}

const SPINS = ['s1', 's2', 's3', 's4', 's5'];
const THREE_BODY =
  'h*(s1 + s2 + s3 + s4 + s5) + j*(s1*s2 + s2*s3 + s3*s4 + s4*s5 + s5*s1) + k*s1*s3*s5';
const THREE_BODY_TRUTH = { h: 0.6, j: -1.2, k: 1.5 };

const threeBody: FormulaSpec = {
  expression: THREE_BODY,
  variables: SPINS,
  constants: THREE_BODY_TRUTH,
  binary: true,
};

/** The sum over all states of the five bits. */
function threeBodyLogZ(): number {
  const { h, j, k } = THREE_BODY_TRUTH;
  let sum = 0;
  for (let state = 0; state < 32; state++) {
    const on = (site: number) => (state >> (site % 5)) & 1;
    let energy = k * on(0) * on(2) * on(4);
    for (let site = 0; site < 5; site++) energy += h * on(site) + j * on(site) * on(site + 1);
    sum += Math.exp(-energy);
  }
  return Math.log(sum);
}

export const EXAMPLES = {
  banana: {
    name: 'Banana',
    about: 'A bent ridge: y follows the square of x.',
    variables: ['x', 'y'],
    isBinary: false,
    formula: 'a*(x - m)^2 + b*(y - x^2)^2',
    starts: 'a:1+,m:0,b:1+',
    truth: { a: 0.5, m: 0.5, b: 2 },
    logZ: Math.log(Math.PI),
    source: {
      model: { kind: 'banana', a: 0.5, b: 2, mean: 0.5 },
      transition: { kind: 'hmc', stepSize: 0.1 },
    },
  },
  ring: {
    name: 'Ring',
    about: 'A ring of radius r, the sharper the larger s.',
    variables: ['x', 'y'],
    isBinary: false,
    formula: 's*(log(x^2 + y^2)/2 - log(r))^2',
    starts: 's:3+,r:0.7+',
    truth: { s: 10, r: 1 },
    logZ: Math.log(2 * Math.PI * Math.sqrt(Math.PI / 10)) + 1 / 10,
    source: {
      model: { kind: 'ring', radius: 1, sharpness: 10 },
      transition: { kind: 'hmc', stepSize: 0.1 },
    },
  },
  funnel: {
    name: 'Funnel',
    about: 'The spread of y depends on x (Neal 2003).',
    variables: ['x', 'y'],
    isBinary: false,
    formula: 'x^2/(2*s^2) + c*x/2 + y^2*exp(-c*x)/2',
    starts: 's:1+,c:0.5',
    truth: { s: 1.5, c: 1 },
    logZ: Math.log(2 * Math.PI * 1.5),
    source: {
      model: { kind: 'funnel', dim: 2, scale: 1.5 },
      transition: { kind: 'hmc', stepSize: 0.1 },
    },
  },
  valley: {
    name: 'Badly scaled Gaussian',
    about: 'Its mean is Aθ: one combination of a and b is known well, another badly (thesis, 4.1).',
    variables: ['x', 'y'],
    isBinary: false,
    formula: '((x - 3*a - b/3)^2 + (y - a/3)^2)/2',
    starts: 'a:1,b:-1',
    truth: { a: 0, b: 0 },
    logZ: Math.log(2 * Math.PI),
    source: {
      model: { kind: 'gaussian', dim: 2 },
      transition: { kind: 'hmc', stepSize: 0.1 },
    },
  },
  tails: {
    name: 'Heavy tails',
    about: 'One column with far outliers: Student’s t distribution.',
    variables: ['x'],
    isBinary: false,
    formula: '(n + 1)/2*log(1 + (x - m)^2/(n*s^2))',
    starts: 'n:5+,m:0,s:1+',
    truth: { n: 3, m: 1, s: 0.5 },
    logZ: Math.log((Math.sqrt(3) * Math.PI * 0.5) / 2),
    source: {
      model: { kind: 'studentT', dim: 1, degreesOfFreedom: 3, mean: [1], precision: [4] },
      transition: { kind: 'hmc', stepSize: 0.1 },
    },
  },
  threeBody: {
    name: 'Five bits, three at a time',
    about: 'Bits in a circle with a term of three of them, which no Ising model has.',
    variables: SPINS,
    isBinary: true,
    formula: THREE_BODY,
    starts: 'h:0,j:0,k:0',
    truth: THREE_BODY_TRUTH,
    logZ: threeBodyLogZ(),
    source: { model: { kind: 'formula', ...threeBody }, transition: { kind: 'gibbs' } },
  },
} as const satisfies Record<string, Example>;

export type ExampleId = keyof typeof EXAMPLES;
export const EXAMPLE_IDS = Object.keys(EXAMPLES) as ExampleId[];

export function exampleOf(data: ExampleId | 'own'): Example | undefined {
  return data === 'own' ? undefined : EXAMPLES[data];
}

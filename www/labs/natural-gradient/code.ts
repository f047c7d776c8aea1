import { literal } from '../../lib/code.js';
import { specOf } from './by-package.js';
import type { NaturalGradient } from './natural-gradient.svelte.js';

/** The lines that take both descents with the package, printed from the very specs that the page runs. */
export function codeFor(lab: NaturalGradient): string {
  const specs = Object.fromEntries(
    lab.descents.map(({ name, path }) => [name, specOf(lab.settings, name, path.length - 1)]),
  );
  return [
    `import { createEngine } from 'unnorm';`,
    '',
    '// The Gaussian N(x; Aθ, I) with A = [[3, 1/3], [1/3, 0]], fitted to rows of mean 0. Score matching is its likelihood here,',
    '// and minibatches of all rows make gradient descent. In the coordinates of the metric it is the natural gradient.',
    'const divergence = ({ a, b }) => 0.5 * ((3 * a + b / 3) ** 2 + (a / 3) ** 2);',
    `const specs = ${literal(specs)};`,
    '',
    'const engine = await createEngine();',
    'for (const [name, spec] of Object.entries(specs)) {',
    '  const { model, digest } = await engine.fit(spec);',
    '  const { numEpochs } = spec.optimizer;',
    "  console.log(name, numEpochs, 'steps', divergence(model.params).toPrecision(6), digest);",
    '}',
    'await engine.close();',
  ].join('\n');
}

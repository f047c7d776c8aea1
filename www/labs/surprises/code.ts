import { literal } from '../../lib/code.js';
import { MODEL, VARIABLES } from '../../lib/surprising-path.js';
import { specOf } from './run-made.js';
import type { Settings } from './settings.js';

/** The lines that run the same with the package, printed from the very spec that the page runs. */
export function codeFor(settings: Settings): string {
  const { reference, schedule, numChains, numDistributions, seed } = specOf(settings);
  return [
    "import { createEngine } from 'unnorm';",
    '',
    '// The sign of u is z. Every x is seen to be positive.',
    'const model = {',
    `  kind: '${MODEL.kind}',`,
    '  expression:',
    `    '${MODEL.expression}',`,
    `  variables: ${literal(VARIABLES)},`,
    '  constraints: [',
    ...MODEL.constraints.map((constraint) => `    ${literal(constraint)},`),
    '  ],',
    '};',
    '',
    'const engine = await createEngine();',
    'const { forward, warnings, digest } = await engine.logZ({',
    '  model,',
    ...(reference ? [`  reference: ${literal(reference)},`] : []),
    `  schedule: ${literal(schedule)},`,
    `  numChains: ${numChains},`,
    `  numDistributions: ${numDistributions},`,
    `  seed: ${seed},`,
    '});',
    '// The energy lacks the norms of six Gaussians.',
    'const logNorm = 3 * Math.log(2 * Math.PI);',
    'const { value, standardError } = forward.logZ;',
    "console.log('ln p(x > 0)', value - logNorm, standardError);",
    "console.log('ESS', forward.weightEss, 'warnings', warnings.length, 'digest', digest);",
    'await engine.close();',
  ].join('\n');
}

import type { Settings } from './settings.js';
import { MAX_STEPS, TARGET } from './settings.js';

/** The lines that take both descents, in plain JavaScript, and how the package does it for a model with an energy. */
export function codeFor({ theta1, theta2, steepest, natural }: Settings): string {
  return [
    '// The Gaussian N(x; Aθ, I) with A = [[3, 1/3], [1/3, 0]], fitted to data of mean 0.',
    'const G = [[9 + 1 / 9, 1], [1, 1 / 9]]; // its Fisher information, AᵀA',
    'const divergence = ([a, b]) => 0.5 * ((3 * a + b / 3) ** 2 + (a / 3) ** 2);',
    'const gradient = ([a, b]) => [G[0][0] * a + G[0][1] * b, G[1][0] * a + G[1][1] * b];',
    'const natural = (theta) => {',
    '  const [a, b] = gradient(theta); // G⁻¹ times it',
    '  const det = G[0][0] * G[1][1] - G[0][1] * G[1][0];',
    '  return [(G[1][1] * a - G[0][1] * b) / det, (G[0][0] * b - G[1][0] * a) / det];',
    '};',
    '',
    'function stepsOf(slope, stepSize) {',
    `  let theta = [${theta1}, ${theta2}];`,
    '  let steps = 0;',
    `  while (divergence(theta) > ${TARGET} && steps < ${MAX_STEPS}) {`,
    '    const [a, b] = slope(theta);',
    '    theta = [theta[0] - stepSize * a, theta[1] - stepSize * b];',
    '    steps += 1;',
    '  }',
    '  return steps;',
    '}',
    '',
    `console.log('steepest', stepsOf(gradient, ${steepest}));`,
    `console.log('natural', stepsOf(natural, ${natural}));`,
    '',
    '// For a model with an energy the package does it: any optimizer works in the whitened parameters.',
    "// engine.fit({ model, data, optimizer: { kind: 'lbfgs', coordinates:",
    "//   { kind: 'metric', metric: 'fisher', form: 'full' } } });",
  ].join('\n');
}

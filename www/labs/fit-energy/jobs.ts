import type { FitSpec, FormulaSpec } from 'unnorm';
import { asInput, type Rows } from './data.js';
import type { Method, Start } from './settings.js';

export type TypedEnergy = { kind: 'formula' } & FormulaSpec;
export type TypedFitSpec = FitSpec & { model: TypedEnergy };

/** The typed energy, with its parameters at the values that a fit starts from. */
export function typedEnergy(
  expression: string,
  variables: readonly string[],
  starts: readonly Start[],
  isBinary: boolean,
): TypedEnergy {
  const params = Object.fromEntries(
    starts.map(({ name, value, positive }) => [name, positive ? { value, lower: 0 } : value]),
  );
  return {
    kind: 'formula',
    expression,
    variables: [...variables],
    params,
    ...(isBinary && { binary: true }),
  };
}

/** A fit with errors. */
export function fitSpec(
  model: TypedEnergy,
  rows: Rows,
  method: Method,
  radius: number,
  seed: number,
): TypedFitSpec {
  return { model, ...asInput(rows), ...fitSpecWithoutData(method, radius, seed) };
}

/** All of a fit but its model and data. */
export function fitSpecWithoutData(method: Method, radius: number, seed: number) {
  return { objective: objectiveOf(method, radius), errors: true, seed };
}

function objectiveOf(method: Method, radius: number): NonNullable<FitSpec['objective']> {
  if (method !== 'ballFlow') return { kind: method };
  return { kind: 'mpf', connectivity: { kind: 'ball', radius, numSamples: 8 } };
}

/** The radius of the ball that probability may flow in: a quarter of the least spread of a column, in two digits. */
export function radiusFor(rows: Rows): number {
  if (rows.isBinary) return 1;
  const { states, dim, numRows } = rows;
  const spreads = Array.from({ length: dim }, (_, column) => {
    let [sum, squares] = [0, 0];
    for (let row = 0; row < numRows; row++) sum += states[row * dim + column] ?? 0;
    for (let row = 0; row < numRows; row++) {
      squares += ((states[row * dim + column] ?? 0) - sum / numRows) ** 2;
    }
    return Math.sqrt(squares / numRows);
  });
  const least = Math.min(...spreads.filter((spread) => spread > 0), Number.MAX_VALUE);
  return Number((0.25 * least).toPrecision(2));
}

import { integer, real, type ValuesOf } from '../../lib/fields.js';

/** Divergence, in nats, at which a descent has arrived. */
export const TARGET = 1e-6;

/** Steps after which a descent is given up. */
export const MAX_STEPS = 20_000;

/** The start lies within this of the truth, in either parameter. */
export const REACH = 1.5;

/** The state of the lab that a link carries. */
export const fields = {
  /** θ₁ and θ₂ at the start: those of figure 4.1. */
  theta1: real(1, -REACH, REACH),
  theta2: real(-1, -REACH, REACH),
  /** Step size of steepest descent. */
  steepest: real(0.2, 0.001, 0.25),
  /** Step size of natural gradient descent. */
  natural: real(0.2, 0.001, 2.2),
  /** Steps taken. */
  steps: integer(0, 0, MAX_STEPS),
};

export type Settings = ValuesOf<typeof fields>;

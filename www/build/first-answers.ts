import type { Engine } from 'unnorm';
import {
  type DataFiles,
  type FirstQuestion,
  type KeptAnswer,
  packed,
} from '../lib/first-answers.js';

const modules = import.meta.glob<{ firstQuestions: readonly FirstQuestion[] }>(
  '../labs/*/first-answers.ts',
  { eager: true },
);

/** What every `first-answers.json` has to hold, by its path below `www`. */
export async function firstAnswers(
  engine: Engine,
  files: DataFiles,
): Promise<Record<string, KeptAnswer[]>> {
  const all: Record<string, KeptAnswer[]> = {};
  for (const [path, { firstQuestions }] of Object.entries(modules)) {
    const kept: KeptAnswer[] = [];
    for (const { question, find } of firstQuestions)
      kept.push({ question, answer: packed(await find(engine, files)) });
    all[path.replace(/^\.\.\/(.*)\.ts$/, '$1.json')] = kept;
  }
  return all;
}

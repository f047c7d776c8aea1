/**
 * Self-checks: the body of a fence `question` is the question, a blank line, and a list of choices as of a list of tasks,
 * each with a reply below it. One is marked as right.
 */
import type { Say } from './translations.js';

interface Choice {
  right: boolean;
  text: string;
  reply: string;
}

interface Question {
  text: string;
  choices: readonly Choice[];
}

/** Reads a question. `where` begins the message of an error. */
export function readQuestion(body: string, where: string): Question {
  const [text = '', list = ''] = body.split(/\n\n(?=- \[)/);
  const choices = list.split(/^- (?=\[[ x]\] )/m).flatMap((item) => {
    const [, mark, choice = '', reply = ''] = /^\[([ x])\] (.+)\n([\s\S]*)$/.exec(item) ?? [];
    return mark ? [{ right: mark === 'x', text: choice, reply: reply.trim() }] : [];
  });
  const fail = (problem: string): never => {
    throw new Error(`${where}: the question “${text.slice(0, 60)}” ${problem}.`);
  };
  if (choices.length < 2) return fail('needs at least two choices, each with a reply below it');
  if (choices.filter(({ right }) => right).length !== 1) return fail('needs one choice marked [x]');
  if (choices.some(({ reply }) => reply === '')) return fail('has a choice without a reply');
  return { text, choices };
}

/**
 * A question as HTML that can be read without a script: the answer is below it, folded. `www/course/questions.ts` takes
 * the answer away and replies to the choice made.
 * @param inline Markdown of one paragraph as HTML
 * @param number of the question on its page, from 1
 * @param say what the words around it say in its language
 */
export function questionHtml(
  { text, choices }: Question,
  inline: (markdown: string) => string,
  number: number,
  say: Say,
): string {
  const items = choices.map(
    ({ right, text, reply }, at) =>
      `<div class="choice"><label><input type="radio" name="question-${number}" value="${at}"> <span>${inline(text)}</span></label><p data-reply="${right ? 'right' : 'wrong'}" hidden>${inline(reply)}</p></div>`,
  );
  const answer = choices.find(({ right }) => right);
  return `<form class="question" data-question="${number}"><fieldset><legend><span class="number">${say('Question {number}', { number })}</span> ${inline(text)}</legend>${items.join('\n')}<p class="reply" role="status"></p></fieldset><details class="answer"><summary>${say('Answer')}</summary><p>${inline(answer?.text ?? '')}</p><p>${inline(answer?.reply ?? '')}</p></details></form>\n`;
}

/** Runs that wait for what a test does to them, on machines however fast or slow. */

import { press, untilStatus } from './site-under-test.mjs';

/** Reports after which there is something of a job to see, and which no job of the tests is over with. */
const SOME_REPORTS = 3;

/**
 * In the page: jobs report every round from now on, and do none before the last one's report has been received. After some
 * reports none is received until `letRoundsGo` is called, and the body has the attribute `data-held`; what else is posted
 * comes through. The first `numFree` jobs are let be.
 */
export function holdInPage({ numFree = 0, numReports = 3 } = {}) {
  const { postMessage } = Worker.prototype;
  /** The number of the next message to each worker, of which none may be missing. */
  const numbers = new WeakMap();
  const held = [];
  const counts = { jobs: 0, reports: 0 };
  let isHolding = true;
  Worker.prototype.postMessage = function (message, transfer) {
    if (typeof message?.number !== 'number') return postMessage.call(this, message, transfer);
    const send = (changes) => {
      const number = numbers.get(this) ?? message.number;
      postMessage.call(this, { ...message, ...changes, number }, transfer);
      numbers.set(this, number + 1);
    };
    const { type } = message;
    if (!isHolding) return send();
    if (type === 'start' && ++counts.jobs > numFree) {
      return send({ progressInterval: 0, streamDraws: true });
    }
    const isHeld = type === 'progressReceived' && counts.jobs > numFree;
    if (!isHeld || ++counts.reports < numReports) return send();
    held.push(send);
    // When the lab has heard of this report, too.
    setTimeout(() => document.body.toggleAttribute('data-held', true));
  };
  globalThis.letRoundsGo = () => {
    isHolding = false;
    document.body.removeAttribute('data-held');
    for (const send of held.splice(0)) send();
  };
}

/** Holds the jobs of a page: see above. To be called before the page starts them. */
export function holdRounds(page, { numFree = 0, numReports = SOME_REPORTS } = {}) {
  return page.evaluate(holdInPage, { numFree, numReports });
}

export function letRoundsGo(page) {
  return page.evaluate(() => globalThis.letRoundsGo());
}

/**
 * Presses a button of the run as soon as it can be pressed and `isTime`, a function that the page can run, gives something
 * true for `given`: at the very change that brings it.
 */
export function pressWhen(page, label, isTime, given) {
  const program = (wanted, isItTime, what) =>
    new Promise((resolve) => {
      const observer = new MutationObserver(look);
      function look() {
        const button = [...document.querySelectorAll('[data-action]')].find(
          (candidate) => candidate.textContent.trim() === wanted && !candidate.disabled,
        );
        if (!button || !isItTime(what)) return;
        observer.disconnect();
        button.click();
        resolve();
      }
      const all = { subtree: true, childList: true, attributes: true, characterData: true };
      observer.observe(document.body, all);
      look();
    });
  const [wanted, what] = [label, given].map((value) => JSON.stringify(value));
  return page.evaluate(`(${program})(${wanted}, ${isTime}, ${what})`);
}

/** Whether there is such an element. */
export const isThere = (selector) => document.querySelector(selector) !== null;

const STATUS_AFTER = { Stop: 'stopped', Pause: 'paused' };

/** Presses Fit, or another first button, and Stop or Pause after the first reports. */
export async function interrupt(page, label, first = 'Fit') {
  await holdRounds(page);
  const pressed = pressWhen(page, label, isThere, 'body[data-held]');
  await press(page, first);
  await pressed;
  await untilStatus(page, STATUS_AFTER[label]);
  await letRoundsGo(page);
}

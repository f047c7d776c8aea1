import { count, real } from '../../lib/format.js';
import { t } from '../../lib/language.js';
import type { Flow } from './flow.svelte.js';

/** A slope less than this part of what it was has stopped. */
const STOPPED = 1e-3;
const NEARLY = 0.1;
/** Nats from the data within which a model says the same. */
const SAME = 0.05;
/** Couplings beyond it grow without end. */
const UNBOUNDED = 15;

/** What was found, in sentences, from the numbers on the page. */
export function findingsOf(lab: Flow): string[] {
  return [...ofTheModel(lab), ...(lab.run.result ? ofTheFit(lab) : [])];
}

function ofTheModel({ given }: Flow): string[] {
  const slope = given.objective(true);
  const end = given.divergenceAtEquilibrium;
  const relaxation = -1 / given.lambda2;
  const begins =
    slope > 0
      ? t(
          'With the couplings given, probability begins to leave the data at a rate of {slope}, and that is how fast the divergence begins to grow: its tangent touches the curve at t = 0.',
          { slope: real(slope, 3) },
        )
      : t(
          'Every state is data: nothing can leave them, and the divergence begins to grow with t², not with t.',
        );
  const ends = t(
    'It ends {end} nats from the data, where the model is. The slowest part of the way takes a relaxation time of {time}.',
    { end: real(end, 3), time: real(relaxation, 3) },
  );
  return [begins, ends];
}

function ofTheFit(lab: Flow): string[] {
  const last = lab.replay.steps.at(-1);
  const { result } = lab.run;
  if (!last || !result) return [];
  const before = lab.given.objective(true);
  const [k, after] = [lab.given.objective(lab.excludeData), result.objective];
  const found = [
    t(
      'The fit takes K from {k} to {after} in {num} evaluations. It looks at the first moment only, and the model comes to the data all the same: from {from} to {divergence} nats.',
      {
        k: real(k, 4),
        after: real(after, 4),
        numEvaluations: count(result.numEvaluations),
        divergenceAtEquilibrium: real(lab.given.divergenceAtEquilibrium, 3),
        divergence: real(last.divergence, 2),
      },
    ),
  ];
  if (lab.excludeData && last.divergence > SAME) {
    found[0] = t('The fit takes K from {k} to {after} in {num} evaluations.', {
      k: real(k, 4),
      after: real(after, 2),
      numEvaluations: count(result.numEvaluations),
    });
    found.push(
      t(
        'Yet the model is {divergence} nats from the data. What flows between data states was left out, so nothing says how probable they are beside each other. Counted, it does.',
        { divergence: real(last.divergence, 2) },
      ),
    );
  }
  if (before > 0)
    found.push(
      t('Flow to states that are not data {fate}: from {before} to {slope}.', {
        fate: fate(last.slope / before),
        before: real(before, 3),
        slope: real(last.slope, 2),
      }),
    );
  if (!lab.excludeData && after > 0.1)
    found.push(
      t(
        'K itself does not come to 0: it counts what flows between data states both ways, and at equilibrium as much comes as goes.',
      ),
    );
  const largest = Math.max(...last.couplings.map(Math.abs));
  if (lab.isBeyond || largest > UNBOUNDED)
    found.push(
      t(
        'Some couplings grow without end, for the data show nothing that would hold them. K falls for ever, by ever less{what}.',
        {
          what: lab.isBeyond
            ? t(
                '; the last steps have rates too large for the flow to be computed, and are not shown',
              )
            : '',
        },
      ),
    );
  return found;
}

function fate(share: number): string {
  if (share < STOPPED) return t('has stopped');
  if (share < NEARLY) return t('has nearly stopped');
  return share < 1
    ? t('has become less, and does not stop: no couplings fit these data')
    : t('has become more');
}

import { type Check, type CheckContext, check, law } from '../../core/check.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { type Operation, allOperations, operationOf, placeOf } from '../../core/operations.ts';
import type { Generation } from '../../core/target/target.ts';
import { onceFor } from '../../core/once-for.ts';
import { freeRequests } from '../../runner/preflight.ts';

/** What the whole documents say of every answer that the run has seen. */
export const answerChecks: readonly Check[] = [
  check('V2-ANSWERS', { phase: 'last', early: (t) => judgeAnswers(t, 'v2') }, (t) => documented(t, 'v2')),
  check('V3-ANSWERS', { phase: 'last', early: (t) => judgeAnswers(t, 'v3') }, (t) => documented(t, 'v3')),
  check('V4-ANSWERS', { phase: 'last', early: (t) => judgeAnswers(t, 'v4') }, (t) => documented(t, 'v4')),
  law('ANSWER-01', (t) => {
    for (const { operation, exchange } of called(t)) {
      if (!succeeded(exchange) || exchange.status === 204) continue;
      const found = exchange.body === '' ? 'nothing' : 'what is not JSON';
      const message = (): string => `${operation.key} answered ${exchange.status} with ${found}; expected a JSON body`;
      t.expect(exchange.json !== undefined, { cell: operation.key, exchange, message });
    }
  }),
  law('ANSWER-04', (t) => {
    for (const exchange of t.recorder.all()) {
      // What never began to arrive is a fault of the network as well as of the target.
      if (exchange.status === 0 && exchange.exceeds === undefined) continue;
      const message = (): string => `${exchange.operation} ${describeAnswer(exchange)}`;
      t.expect(exchange.exceeds === undefined, { exchange, message });
    }
  }),
];

async function documented(t: CheckContext, generation: Generation): Promise<void> {
  // A run of this row alone has seen no answer yet, so one is asked for.
  await t.send(freeRequests[generation]);
  judgeAnswers(t, generation);
}

function judgeAnswers(t: CheckContext, generation: Generation): void {
  const offered = allOperations.filter((row) => row.generation === generation && placeOf(t.target, row.key) !== null);
  t.cellTotal(offered.length, 'the other operations were not called');
  for (const { operation, exchange } of called(t)) {
    if (operation.generation !== generation) continue;
    const [problem] = t.answers.answerProblems(operation, exchange);
    const message = (): string => `${operation.key} answered ${exchange.status}: ${problem ?? ''}`;
    t.expect(problem === undefined, { cell: operation.key, exchange, message });
  }
}

interface Called {
  operation: Operation;
  exchange: Exchange;
}

/** Every answer of an operation; the ones that never arrived and those of a rate limit say nothing of it. */
function called(t: CheckContext): readonly Called[] {
  t.operations.need();
  return answeredCalls(t);
}

const answeredCalls = onceFor((t): readonly Called[] =>
  t.recorder.all().flatMap((exchange) => {
    const operation = exchange.status === 0 || exchange.status === 429 ? undefined : operationOf(t.target, exchange);
    return operation === undefined ? [] : [{ operation, exchange }];
  }),
);

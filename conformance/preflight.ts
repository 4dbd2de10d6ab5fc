import { type Exchange, describeAnswer } from './harness/exchange.ts';
import type { RequestSpec } from './harness/client.ts';
import type { Drive } from './harness/scenario.ts';
import { SuiteError } from './harness/suite-error.ts';
import { type Generation, offeredGenerations } from './harness/target/target.ts';

/** A request per generation that costs nothing and that a service answers with 4xx at most. */
export const freeRequests: Record<Generation, RequestSpec> = {
  v2: { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body: { task: [] }, invalid: true },
  v3: { generation: 'v3', operation: 'getSession', method: 'GET', path: '/sessions/not-a-uuid', invalid: true },
  v4: { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body: {}, invalid: true },
};

/** Makes sure that somebody answers and takes the key; throws SuiteError `unreachable` or `unauthenticated`. */
export async function preflight(drive: Drive): Promise<void> {
  const offered = offeredGenerations(drive.target);
  const answers = await Promise.all(
    offered.map((generation) => drive.send({ ...freeRequests[generation], overload: true })),
  );
  const first = answers[0];
  if (first === undefined) {
    throw new SuiteError('usage', {
      found: 'a target file in which v2, v3 and v4 are all null',
      expected: 'at least one generation',
      next: 'describe what the target offers',
    });
  }
  if (answers.every((answer) => answer.status === 0)) throw unreachable(first);
  if (answers.every((answer) => answer.status === 429)) throw busy(first);
  if (answers.every((answer) => [401, 403].includes(answer.status))) throw unauthenticated(drive, first);
}

function unreachable(exchange: Exchange): SuiteError {
  return new SuiteError('unreachable', {
    found: `that ${exchange.request.url} ${describeAnswer(exchange)}`,
    expected: 'an answer over HTTP',
    next: 'check the address, the network and that the service is running',
  });
}

function busy(exchange: Exchange): SuiteError {
  return new SuiteError('unreachable', {
    found: `that ${exchange.request.url} ${describeAnswer(exchange)} to the first request`,
    expected: 'a target that has room for a request',
    next: 'try again later, with a lower --rate or --concurrency',
  });
}

function unauthenticated(drive: Drive, exchange: Exchange): SuiteError {
  return new SuiteError('unauthenticated', {
    found: `that ${exchange.request.url} ${describeAnswer(exchange)} to the given key`,
    expected: `a key that the target takes in the header ${drive.target.keyHeader}`,
    next: 'pass --api-key or set SERVICE_API_KEY; a renamed header stands in the target file (keyHeader)',
  });
}

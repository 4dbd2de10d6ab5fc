import { wrongKey } from '../common/credentials.ts';
import { type Check, type CheckContext, check } from '../core/check.ts';
import type { RequestSpec } from '../core/request.ts';
import { type Exchange, describeAnswer, succeeded, wasRejected } from '../core/exchange.ts';
import type { Generation } from '../core/target.ts';
import { freeRequests, smokeRequest } from '../common/free-requests.ts';

/**
 * Checks of a smoke run: the target responds, accepts the API key, and refuses a missing and a wrong key. The cells of
 * AUTH-02 and GEN-01 have the same names as in the checks of other profiles; those of AUTH-01 and AUTH-04 do not.
 */
export const smokeChecks: readonly Check[] = [
  check('AUTH-01', { reads: true }, (t) => turnsAway(t, 'no key', 'none')),
  check('AUTH-04', { reads: true }, (t) => turnsAway(t, 'a wrong key', { other: wrongKey })),
  check('AUTH-02', { reads: true }, (t) => {
    for (const { generation, exchange } of greetings(t)) {
      const message = `${generation} ${describeAnswer(exchange)} to the right key in ${t.target.keyHeader}; expected that the key is accepted`;
      t.expect(exchange.status !== 0 && ![401, 403].includes(exchange.status), { cell: generation, exchange, message });
    }
  }),
  check('GEN-01', { reads: true }, (t) => served(t)),
];

interface Greeting {
  generation: Generation;
  spec: RequestSpec;
  exchange: Exchange;
}

/**
 * Returns, for each generation, the request that the preflight has sent to see whether the target responds, and its
 * response. Omits generations without a response.
 */
function greetings(t: CheckContext): Greeting[] {
  const seen = t.recorder.all().filter(({ sentBy }) => sentBy === 'preflight');
  return t.generations.flatMap((generation) => {
    const spec = smokeRequest(t, generation);
    const exchange = seen.find((one) => one.generation === generation);
    return spec === undefined || exchange === undefined ? [] : [{ generation, spec, exchange }];
  });
}

/**
 * Returns a list operation that succeeded with the correct key, and its response; undefined without such an operation.
 * A wrong key is tested with such a list, because it shows data only to the correct key.
 */
function openList(t: CheckContext): Greeting | undefined {
  return greetings(t).find(({ spec, exchange }) => spec.operation === 'list' && succeeded(exchange));
}

async function turnsAway(t: CheckContext, name: string, key: NonNullable<RequestSpec['key']>): Promise<void> {
  const open = openList(t);
  if (open === undefined) t.notTestable('the right key has read no list, so that a refusal would tell nothing');
  const exchange = await t.send({ ...open.spec, key });
  const cell = `${open.generation} list with ${name}`;
  const message = `${cell} ${describeAnswer(exchange)}; expected no access (4xx, or a redirect)`;
  t.expect(wasRejected(exchange), { cell, exchange, message });
}

async function served(t: CheckContext): Promise<void> {
  t.cellTotal(t.generations.length, 'a list that is not found may stand elsewhere: the contract does not show it');
  for (const { generation, spec, exchange: first } of greetings(t)) {
    const lost = spec.operation === 'list' && [404, 405].includes(first.status);
    // The V3 list may be absent, so a read operation that the contract shows is requested. Without a readable list, the
    // other checks send no request.
    const again = lost && generation === 'v3' && openList(t) === undefined;
    if (lost && !again) continue;
    const exchange = again ? await t.send(freeRequests.v3) : first;
    const { request } = exchange;
    const message = `${request.method} ${request.url} ${describeAnswer(exchange)}; expected that ${generation} is served there`;
    t.expect(exchange.status !== 0 && ![404, 405].includes(exchange.status), { cell: generation, exchange, message });
  }
}

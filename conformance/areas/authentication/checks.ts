import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { RequestSpec } from '../../core/request.ts';
import {
  type Exchange,
  breakerReason,
  createCircuitBreaker,
  describeAnswer,
  wasRejected,
} from '../../core/exchange.ts';
import type { ResourceKind } from '../../core/ledger.ts';
import type { Generation } from '../../core/target.ts';
import { freeRequest } from '../common/free-requests.ts';
import { runProbe, sessionProbe, taskProbe } from '../common/probe-bodies.ts';

/** A wrong key that looks like a right one. */
export const wrongKey = 'svc_00000000000000000000000000000000';

/** How a request is sent that must not be authenticated. */
interface Attempt {
  name: string;
  key: RequestSpec['key'];
  /** Rewrites the request, for a key in another place. */
  change?: (spec: RequestSpec, key: string) => RequestSpec;
}

/** A request that the right key would let succeed: only such a one can show a hole. */
interface Door {
  name: string;
  kind: ResourceKind | undefined;
  spec: RequestSpec;
}

/** Why a door behind which something is made was not tried. */
const onlyReading = 'needs more than reading (--read-only)';

/** Who is let in. */
export const authenticationChecks: readonly Check[] = [
  check('AUTH-01', { reads: true }, (t) => locked(t, [{ name: 'no key', key: 'none' }])),
  check('GEN-03', { reads: true }, (t) => locked(t, [{ name: 'no key', key: 'none' }])),
  check('AUTH-02', { reads: true }, async (t) => {
    t.cellTotal(t.generations.length, onlyReading);
    for (const generation of t.generations) {
      const spec = freeRequest(t, generation);
      if (spec === undefined) continue;
      const exchange = await t.send(spec);
      t.expect(exchange.status !== 0 && ![401, 403].includes(exchange.status), {
        cell: generation,
        exchange,
        message: `${generation} ${describeAnswer(exchange)} to the right key in ${t.target.keyHeader}`,
      });
    }
  }),
  check('AUTH-03', { reads: true }, (t) => locked(t, otherSchemes)),
  check('AUTH-04', { reads: true }, (t) => locked(t, [{ name: 'a wrong key', key: { other: wrongKey } }])),
];

const otherSchemes: readonly Attempt[] = [
  { name: 'the key as bearer token', key: 'none', change: (spec, key) => withHeader(spec, `Bearer ${key}`) },
  {
    name: 'the key as basic credentials',
    key: 'none',
    change: (spec, key) => withHeader(spec, `Basic ${Buffer.from(`${key}:`).toString('base64')}`),
  },
  { name: 'the key in the query', key: 'none', change: withQuery },
];

function withHeader(spec: RequestSpec, authorization: string): RequestSpec {
  return { ...spec, headers: { authorization } };
}

function withQuery(spec: RequestSpec, key: string): RequestSpec {
  const names = ['api_key', 'apiKey', 'X-Service-API-Key'];
  return { ...spec, path: `${spec.path}?${names.map((name) => `${name}=${encodeURIComponent(key)}`).join('&')}` };
}

async function locked(t: CheckContext, attempts: readonly Attempt[]): Promise<void> {
  const open = await Promise.all(t.generations.map((generation) => openDoors(t, generation)));
  const tries = open
    .flat()
    .flatMap((door) => attempts.map((attempt) => ({ door, attempt, cell: `${door.name} with ${attempt.name}` })))
    .filter(({ cell }) => t.only?.cell === undefined || t.only.cell === cell);
  t.cellTotal(tries.length, t.readOnly ? onlyReading : breakerReason);
  const breaker = createCircuitBreaker();
  for (const { door, attempt, cell } of tries) {
    if ((t.readOnly || breaker.on()) && door.kind !== undefined) continue;
    const spec = attempt.change?.(door.spec, t.apiKey) ?? door.spec;
    const exchange = await knock(t, door, { ...spec, key: attempt.key ?? 'none' });
    if (door.kind !== undefined && !wasRejected(exchange)) breaker.note(exchange);
    const message = `${cell} ${describeAnswer(exchange)}; expected that nobody is let in (4xx, or a redirect)`;
    t.expect(wasRejected(exchange), { cell, exchange, message });
  }
}

function knock(t: CheckContext, door: Door, spec: RequestSpec): Promise<Exchange> {
  return door.kind === undefined ? t.send(spec) : t.resources.probe(door.kind, spec);
}

// A list shows a hole only where the right key can read it.
async function openDoors(t: CheckContext, generation: Generation): Promise<Door[]> {
  const known = doors(t, generation);
  const reading = known.filter(({ kind }) => kind === undefined);
  const answers = await Promise.all(reading.map(({ spec }) => t.send(spec)));
  return known.filter((door) => !reading.some((item, index) => item === door && answers[index]?.status !== 200));
}

function doors(t: CheckContext, generation: Generation): Door[] {
  const post = (operation: string, path: string, body: RequestSpec['body'] = {}): RequestSpec => ({
    generation,
    operation,
    method: 'POST',
    path,
    body,
  });
  const list = generation === 'v4' ? null : (t.target[generation]?.list ?? null);
  const reading: Door[] =
    list === null
      ? []
      : [{ name: `${generation} list`, kind: undefined, spec: { ...list, generation, operation: 'list' } }];
  const creating: Record<Generation, Door[]> = {
    v2: [{ name: 'v2 createTask', kind: 'task', spec: post('createTask', '/tasks', taskProbe()) }],
    v3: [
      { name: 'v3 createSession', kind: 'session', spec: post('createSession', '/sessions', sessionProbe(t.target)) },
    ],
    v4: [
      { name: 'v4 createRun', kind: 'run', spec: post('createRun', '/runs', runProbe(t.target)) },
      { name: 'v4 createBrowser', kind: 'browser', spec: post('createBrowser', '/browsers') },
    ],
  };
  return [...reading, ...creating[generation]];
}

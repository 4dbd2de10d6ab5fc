import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { RequestSpec } from '../../core/request.ts';
import {
  type Exchange,
  breakerReason,
  createCircuitBreaker,
  describeAnswer,
  wasRejected,
} from '../../core/exchange.ts';
import { credentialFaults, type CredentialFaults, faultsIn, withFault } from '../../common/credentials.ts';
import { identifier, memberAt } from '../../core/json.ts';
import type { ResourceKind } from '../../core/ledger.ts';
import { namedPlace, type OperationKey, operationRow, placeOf } from '../../core/operations.ts';
import { pathWithId } from '../../core/path-with-id.ts';
import type { Generation, OperationTarget } from '../../core/target.ts';
import { freeRequest } from '../../common/free-requests.ts';
import { itemsOf } from '../../common/followed-pages.ts';
import { listOf } from '../pages/scenarios.ts';
import { runProbe, sessionProbe, taskProbe } from '../../common/probe-bodies.ts';

/** A request that succeeds with the right key: only such a request can show that a wrong one is let in. */
interface GuardedRequest {
  name: string;
  /** What it would create; undefined when it only reads. */
  kind: ResourceKind | undefined;
  spec: RequestSpec;
}

/** Why a request that creates was not sent. */
const onlyReading = 'needs more than reading (--read-only)';

/** The checks of this file send for themselves. */
const ownIds: readonly string[] = ['AUTH-01', 'GEN-03', 'AUTH-03', 'AUTH-04'];

/** Authentication: which credentials a request succeeds with. */
export const authenticationChecks: readonly Check[] = [
  check('AUTH-01', { reads: true, phase: 'last' }, (t) => refusesAll(t, 'noKey')),
  check('GEN-03', { reads: true, phase: 'last' }, (t) => refusesAll(t, 'noKey')),
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
  check('AUTH-03', { reads: true, phase: 'last' }, (t) => refusesAll(t, 'otherPlace')),
  check('AUTH-04', { reads: true, phase: 'last' }, (t) => refusesAll(t, 'wrongKey')),
];

/** Sends every guarded request with each fault, and judges with them what scenarios have sent for what they had created. */
async function refusesAll(t: CheckContext, faults: CredentialFaults): Promise<void> {
  const guarded = await Promise.all(t.generations.map((generation) => guardedRequests(t, generation)));
  const tries = guarded
    .flat()
    .flatMap((request) =>
      credentialFaults[faults].map((fault) => ({ request, fault, cell: `${request.name} with ${fault.name}` })),
    )
    .filter(({ cell }) => t.only?.cell === undefined || t.only.cell === cell);
  const breaker = createCircuitBreaker();
  for (const { request, fault, cell } of tries) {
    if ((t.readOnly || breaker.on()) && request.kind !== undefined) continue;
    const spec = withFault(request.spec, fault, t.apiKey);
    if (spec === undefined) continue;
    const exchange = await (request.kind === undefined ? t.send(spec) : t.resources.probe(request.kind, spec));
    if (request.kind !== undefined && !wasRejected(exchange)) breaker.note(exchange);
    judge(t, cell, exchange);
  }
  const seen = new Set(tries.map(({ cell }) => cell));
  const tried = t.recorder
    .all()
    .filter((exchange) => !ownIds.includes(exchange.sentBy) && faultsIn(exchange, t.target) === faults);
  t.cellTotal(seen.size + tried.length, t.readOnly ? onlyReading : breakerReason);
  for (const exchange of tried)
    judge(t, `${exchange.generation} ${exchange.operation} of ${exchange.sentBy}`, exchange);
}

function judge(t: CheckContext, cell: string, exchange: Exchange): void {
  const message = `${cell} ${describeAnswer(exchange)}; expected a refusal (4xx, or a redirect)`;
  t.expect(wasRejected(exchange), { cell, exchange, message });
}

/** What creates without an earlier request, and what reads where the right key is answered with 200. */
async function guardedRequests(t: CheckContext, generation: Generation): Promise<GuardedRequest[]> {
  const reads = await Promise.all(readingKeys[generation].map((keys) => readingRequests(t, keys)));
  return [...reads.flat(), ...creatingRequests(t)[generation]];
}

/** A list, and the operation that reads one of its items. */
const readingKeys: Readonly<Record<Generation, readonly (readonly [OperationKey, OperationKey])[]>> = {
  v2: [
    ['v2.listTasks', 'v2.getTask'],
    ['v2.listSessions', 'v2.getSession'],
  ],
  v3: [['v3.listSessions', 'v3.getSession']],
  v4: [
    ['v4.listRuns', 'v4.getRun'],
    ['v4.listSessions', 'v4.getSession'],
    ['v4.listBrowsers', 'v4.getBrowser'],
  ],
};

async function readingRequests(
  t: CheckContext,
  [list, get]: readonly [OperationKey, OperationKey],
): Promise<GuardedRequest[]> {
  const found = offered(t, list);
  if (found === null) return [];
  const { generation } = operationRow(list);
  const { method, path } = found;
  const request: GuardedRequest = readingRequest(list, { generation, operation: 'list', method, path });
  const answer = await t.send(request.spec);
  if (answer.status !== 200) return [];
  const { items, id } = listOf(list);
  const first = identifier(memberAt(itemsOf(answer, items)[0], id));
  const one = offered(t, get);
  if (first === undefined || one === null) return [request];
  const spec = { generation, operation: operationRow(get).id, method: one.method, path: pathWithId(one.path, first) };
  const record = readingRequest(get, spec);
  return (await t.send(record.spec)).status === 200 ? [request, record] : [request];
}

function offered({ target }: CheckContext, key: OperationKey): OperationTarget | null {
  return placeOf(target, key) ?? (target.operations === null ? namedPlace(target, key) : null);
}

function readingRequest(key: OperationKey, spec: RequestSpec): GuardedRequest {
  const { generation, id } = operationRow(key);
  return { name: `${generation} ${id}`, kind: undefined, spec };
}

function creatingRequests({ target }: CheckContext): Record<Generation, GuardedRequest[]> {
  const post = (operation: string, path: string, body: RequestSpec['body'] = {}): Omit<RequestSpec, 'generation'> => ({
    operation,
    method: 'POST',
    path,
    body,
  });
  const task = post('createTask', '/tasks', taskProbe());
  const session = post('createSession', '/sessions', sessionProbe(target));
  const run = post('createRun', '/runs', runProbe(target));
  const browser = post('createBrowser', '/browsers');
  return {
    v2: [{ name: 'v2 createTask', kind: 'task', spec: { generation: 'v2', ...task } }],
    v3: [{ name: 'v3 createSession', kind: 'session', spec: { generation: 'v3', ...session } }],
    v4: [
      { name: 'v4 createRun', kind: 'run', spec: { generation: 'v4', ...run } },
      { name: 'v4 createBrowser', kind: 'browser', spec: { generation: 'v4', ...browser } },
    ],
  };
}

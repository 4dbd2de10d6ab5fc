import { type Check, type CheckContext, check, law } from '../../core/check.ts';
import {
  type Exchange,
  breakerReason,
  createCircuitBreaker,
  describeAnswer,
  hasUndeclaredBody,
  refused,
  succeeded,
} from '../../core/exchange.ts';
import { type JsonObject, isJsonObject, memberAt, isSame } from '../../core/json.ts';
import { createdKinds } from '../../ledger/resources.ts';
import type { Call } from '../../core/apis.ts';
import { type Operation, allOperations, findOperation, operationRow } from '../../core/operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { runProbe } from '../../common/probe-bodies.ts';
import { type Tolerated, toleratedStorage, toleratedTasks, unknownMember } from './scenarios.ts';
import { freeRequests } from '../../common/free-requests.ts';
import { answered } from '../../common/judgement.ts';
import { showBody } from '../../common/session-records.ts';
import { show } from '../../core/text.ts';
import { wrongKey } from '../../common/credentials.ts';

/** Checks that hold for all operations: keys, routes, refusals and unknown members. */
export const interfaceChecks: readonly Check[] = [
  check('INTERFACE-01', {}, (t) => keyless(t)),
  check('INTERFACE-02', {}, async (t) => {
    t.operations.need();
    for (const generation of t.generations) {
      const free = freeRequests[generation];
      const bearer = { authorization: `Bearer ${t.apiKey}` };
      answered(t, await t.send({ ...free, key: 'none', headers: bearer }), 401);
      answered(t, await t.send({ ...free, key: { other: wrongKey } }), 401);
    }
  }),
  check('INTERFACE-03', {}, async (t) => {
    t.operations.need();
    for (const generation of t.generations) {
      const path = '/svc-check-no-such-route';
      const exchange = await t.send({ generation, operation: 'unknownRoute', method: 'GET', path });
      const message = `an unknown route of ${generation} ${describeAnswer(exchange)} with ${showBody(exchange)}; expected 404 with ${show(notFound)}`;
      const holds = exchange.status === 404 && isSame(exchange.json, notFound);
      t.expect(holds, { cell: generation, exchange, message });
    }
  }),
  check('INTERFACE-04', {}, (t) => missing(t)),
  law('INTERFACE-05', (t) => refusalTexts(t)),
  check('INTERFACE-06', { needs: [toleratedStorage] }, async (t) => tolerates(t, await t.recording(toleratedStorage))),
  check('INTERFACE-07', { needs: [toleratedTasks] }, async (t) => tolerates(t, await t.recording(toleratedTasks))),
  check('INTERFACE-08', {}, (t) => closedBodies(t)),
  check('INTERFACE-09', {}, async (t) => {
    if (t.target.stateless) t.notTestable(statelessReason);
    const named = withIds(t).filter(({ statuses }) => statuses.includes(404));
    await refusesIds(t, named, { status: 404, ids: 'that do not exist' });
  }),
  check('INTERFACE-10', {}, (t) => refusesIds(t, withIds(t), { status: 422, ids: 'that are malformed' })),
];

const statelessReason = 'this target is stateless: it knows no id from another';

const notFound = { detail: 'Not Found' };

/** Returns the smallest call of an operation: unknown ids in the path, and the example of its document as the body. */
function leastCall(t: CheckContext, operation: Operation): Call {
  const random = createRandom(t.seed);
  const body = t.answers.getExample(operation);
  const path = namesIn(operation.path).map((name) => (name === 'message_id' ? '2147483647' : randomUuid(random)));
  const query = operation.id === 'deleteWorkspaceFile' ? { path: 'uploads/nobody.txt' } : {};
  return { path, query, ...(body === undefined ? {} : { body }) };
}

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

async function keyless(t: CheckContext): Promise<void> {
  t.operations.need();
  const breaker = createCircuitBreaker();
  const offered = allOperations.filter(({ key }) => t.operations.offers(key));
  t.cellTotal(offered.length, breakerReason);
  for (const operation of offered) {
    if (breaker.on()) continue;
    const call: Call = { ...leastCall(t, operation), key: 'none', invalid: true };
    const kind = createdKinds[operation.id];
    const { key } = operation;
    const exchange = await (kind === undefined ? t.operations.call(key, call) : t.operations.probe(kind, key, call));
    breaker.note(exchange);
    const message = `${key} without a key ${describeAnswer(exchange)}; expected 401`;
    t.expect(exchange.status === 401, { cell: key, exchange, message });
  }
}

/** Error texts of the companion for unknown ids. */
const texts: readonly { ids: readonly string[]; generations: readonly string[]; text: string }[] = [
  { ids: ['getTask', 'getTaskStatus', 'updateTask', 'getTaskLogs'], generations: ['v2'], text: 'Task not found' },
  { ids: ['getSession', 'updateSession', 'deleteSession'], generations: ['v2'], text: 'Session not found' },
  { ids: ['getProfile', 'updateProfile'], generations: ['v2', 'v3', 'v4'], text: 'Profile not found' },
  { ids: ['getBrowser', 'stopBrowser'], generations: ['v2', 'v3', 'v4'], text: 'Session not found' },
];

async function missing(t: CheckContext): Promise<void> {
  t.operations.need();
  if (t.target.stateless) t.notTestable(statelessReason);
  for (const operation of allOperations) {
    const row = texts.find(
      ({ ids, generations: of }) => ids.includes(operation.id) && of.includes(operation.generation),
    );
    if (row === undefined || !t.operations.offers(operation.key)) continue;
    const exchange = await t.operations.call(operation.key, leastCall(t, operation));
    const found = memberAt(exchange.json, 'detail');
    const message = `${operation.key} of an unknown id ${describeAnswer(exchange)} with detail ${show(found)}; expected 404 with "${row.text}"`;
    t.expect(exchange.status === 404 && found === row.text, { cell: operation.key, exchange, message });
  }
}

/**
 * Judges that every refusal with a declared body, except 422, has a text as `detail`. Two errors may have other bodies:
 * the 402 of a monthly limit, whose `detail` is an object, and the rate limit.
 */
function refusalTexts(t: CheckContext): void {
  t.operations.need();
  for (const exchange of t.recorder.all()) {
    const operation = findOperation(t.target, exchange);
    if (operation === undefined || !refused(exchange)) continue;
    if ([422, 429].includes(exchange.status) || hasUndeclaredBody(exchange)) continue;
    const detail = memberAt(exchange.json, 'detail');
    const holds = typeof detail === 'string' || (exchange.status === 402 && isJsonObject(detail));
    const message = `${operation.key} ${describeAnswer(exchange)} with ${showBody(exchange)}; expected a JSON object whose detail is text`;
    t.expect(holds, { cell: operation.key, exchange, message });
  }
}

/** Returns the offered operations that have path parameters, all of which are ids. */
function withIds(t: CheckContext): Operation[] {
  t.operations.need();
  return allOperations.filter(({ key, path }) => {
    const names = namesIn(path);
    return names.length > 0 && names.every((name) => /^(\w+_)?id$/.test(name)) && t.operations.offers(key);
  });
}

async function refusesIds(
  t: CheckContext,
  operations: readonly Operation[],
  { status, ids }: { status: 404 | 422; ids: string },
): Promise<void> {
  for (const operation of operations) {
    const least = leastCall(t, operation);
    const call: Call =
      status === 404 ? least : { ...least, path: (least.path ?? []).map(() => 'no-id'), invalid: true };
    const exchange = await t.operations.call(operation.key, call);
    const message = `${operation.key} with ids ${ids} ${describeAnswer(exchange)}; expected ${status}`;
    // Before the target looks up the id, it may refuse an operation that the project must not use.
    const barred = status === 404 && exchange.status === 403 && operation.statuses.includes(403);
    const isIdle = status === 404 && deletesUnknown(operation) && succeeded(exchange);
    t.expect(exchange.status === status || barred || isIdle, { cell: operation.key, exchange, message });
  }
}

/**
 * Returns true for a V3 deletion of a session, of a workspace or of a file in a workspace. The companion names no 404
 * for these deletions, so they may succeed for an unknown id.
 */
function deletesUnknown({ generation, method, path }: Operation): boolean {
  return generation === 'v3' && method === 'DELETE' && /^\/(sessions|workspaces)\//.test(path);
}

function tolerates(t: CheckContext, { exchanges }: Tolerated): void {
  if (exchanges.length === 0) t.notTestable('this target offers none of the operations (target file)');
  for (const exchange of exchanges) {
    const message = `${exchange.generation} ${exchange.operation} ${describeAnswer(exchange)}; expected a success`;
    t.expect(succeeded(exchange), { cell: exchange.generation, exchange, message });
  }
}

async function closedBodies(t: CheckContext): Promise<void> {
  t.operations.need('v4.createRun');
  for (const [cell, body] of Object.entries(runsWithUnknown(t))) {
    refusesUnknown(t, cell, await t.operations.probe('run', 'v4.createRun', { body }));
  }
  if (!t.operations.offers('v4.createMessage')) return;
  const body = { text: 'Go on.', ...unknownMember };
  const path = [randomUuid(createRandom(t.seed))];
  const exchange = await t.operations.call('v4.createMessage', { path, body, invalid: true });
  // The contract does not state whether the session or the body is validated first.
  if (exchange.status !== 404) refusesUnknown(t, 'QueueMessage', exchange);
}

/**
 * Returns bodies of V4 runs with one unknown member each: one body per object that forbids unknown members, and one per
 * member of the other generations. Omits objects that the document does not have, and members that it has.
 */
function runsWithUnknown(t: CheckContext): Record<string, JsonObject> {
  const whole = runProbe(t.target);
  const properties = t.answers.getSchema(operationRow('v4.createRun'), 'request')?.['properties'];
  const inner: Record<string, JsonObject> = {
    browserSettings: { ...whole, browserSettings: unknownMember },
    judge: { ...whole, judge: unknownMember },
    secretBindings: { ...whole, secretBindings: [{ ...secret, ...unknownMember }] },
  };
  const known = Object.entries(inner).filter(([name]) => isJsonObject(properties) && name in properties);
  const foreign = Object.entries(otherMembers)
    .filter(([name]) => !isJsonObject(properties) || !(name in properties))
    .map(([name, value]) => [`CreateRun ${name}`, { ...whole, [name]: value }] as const);
  return { CreateRun: { ...whole, ...unknownMember }, ...Object.fromEntries([...known, ...foreign]) };
}

/** Members that the contract lists for tasks of V2 or sessions of V3, with valid values. */
const otherMembers: JsonObject = {
  thinkingLevel: 'low',
  llm: 'o3',
  thinking: true,
  useOwnKey: true,
  keepAlive: true,
  codeMode: true,
};

const secret = { alias: 'svc-check', source: { type: 'inline', value: 'none' }, allowedDomains: ['example.com'] };

function refusesUnknown(t: CheckContext, cell: string, exchange: Exchange): void {
  const message = `${cell} with an unknown member ${describeAnswer(exchange)}; expected 422`;
  t.expect(exchange.status === 422, { cell, exchange, message });
}

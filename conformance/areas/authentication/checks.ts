import { type Check, type CheckContext, check } from '../../core/check.ts';
import type { RequestSpec } from '../../core/request.ts';
import {
  type Exchange,
  breakerReason,
  createCircuitBreaker,
  describeAnswer,
  wasRejected,
} from '../../core/exchange.ts';
import {
  type CredentialFault,
  credentialFaults,
  type CredentialFaults,
  faultsIn,
  rareFaults,
  withFault,
} from '../../common/credentials.ts';
import { saysNothing } from '../../common/refusals.ts';
import { identifier, memberAt } from '../../core/json.ts';
import type { LedgerEntry, ResourceKind } from '../../core/ledger.ts';
import type { Recorder } from '../../core/recorder.ts';
import {
  allOperations,
  findOperation,
  targetFileEndpoint,
  type Operation,
  type OperationKey,
  operationRow,
  pathBelowBase,
  offeredEndpoint,
} from '../../core/operations.ts';
import { pathWithId } from '../../core/path-with-id.ts';
import type { KeyForm } from '../../core/scenario.ts';
import type { Generation, OperationTarget } from '../../core/target.ts';
import { freeRequest } from '../../common/free-requests.ts';
import { listItems } from '../../common/followed-pages.ts';
import { statedItems } from '../../ledger/resource-lists.ts';
import { getListOperation } from '../pages/scenarios.ts';
import { runProbe, sessionProbe, taskProbe } from '../../common/probe-bodies.ts';

/**
 * A request that the target must refuse with faulty credentials. A read was sent with the right key before and got 200;
 * a creation or change was not sent with the right key.
 */
interface GuardedRequest {
  name: string;
  /**
   * Kind of the resource that the request would create; undefined for a read, and for a change of an existing resource.
   */
  kind: ResourceKind | undefined;
  spec: RequestSpec;
}

/** Reason why a read-only run does not send a request that creates a resource. */
const onlyReading = 'needs more than reading (--read-only)';

/** Ids of the checks that send faulty credentials themselves; their requests do not count as requests of scenarios. */
const ownIds: readonly string[] = ['AUTH-01', 'GEN-03', 'AUTH-03', 'AUTH-04'];

/**
 * Checks of authentication: a request is not refused with the right key, and is refused without a key, with a wrong
 * key, and with the key in another place.
 */
export const authenticationChecks: readonly Check[] = [
  check('AUTH-01', { reads: true, phase: 'last' }, (t) => refusesAll(t, 'noKey')),
  check('GEN-03', { reads: true, phase: 'last' }, (t) => refusesAll(t, 'noKey')),
  check('AUTH-02', { reads: true }, async (t) => {
    t.cellTotal(t.generations.length * (1 + spellings.length), onlyReading);
    for (const generation of t.generations) {
      const spec = freeRequest(t, generation);
      if (spec === undefined) continue;
      expectAdmitted(t, { cell: generation, name: t.target.keyHeader, exchange: await t.send(spec) });
      for (const { key, spell } of spellings) {
        const name = spell(t.target.keyHeader);
        const exchange = await t.send({ ...spec, key: 'none', headers: { [name]: t.apiKey } });
        expectAdmitted(t, { cell: `${generation} with the header in ${key} letters`, name, exchange });
      }
    }
  }),
  check('AUTH-05', { reads: true }, (t) => {
    const forms = t.keyForms ?? t.notTestable('the target file names no prefix (keyPrefix)');
    for (const { name, option } of givenKeys) {
      const form = forms[name];
      if (form === undefined) continue;
      const message = `the key of ${option} ${keyForms[form]}; expected the prefix and a secret part after it`;
      t.expect(form === 'complete', { cell: name, message });
    }
  }),
  check('AUTH-03', { reads: true, phase: 'last' }, (t) => refusesAll(t, 'otherPlace')),
  check('AUTH-04', { reads: true, phase: 'last' }, (t) => refusesAll(t, 'wrongKey')),
];

/** The keys of a run, and the options that pass them. */
const givenKeys = [
  { name: 'apiKey', option: '--api-key' },
  { name: 'otherApiKey', option: '--other-api-key' },
] as const;

/** Descriptions of the forms of a key. None of them shows a part of a key. */
const keyForms: Record<KeyForm, string> = {
  complete: 'has the prefix and a secret part',
  prefixOnly: 'is the prefix of the target file (keyPrefix) alone',
  otherBeginning: 'does not start with the prefix of the target file (keyPrefix)',
};

/** Further spellings of the key header. HTTP header names have no case (RFC 9110, section 5.1). */
const spellings = [
  { key: 'small', spell: (name: string) => name.toLowerCase() },
  { key: 'capital', spell: (name: string) => name.toUpperCase() },
] as const;

/** Judges that a request with the right key in the header `name` was not refused because of its key. */
function expectAdmitted(
  t: CheckContext,
  { cell, name, exchange }: { cell: string; name: string; exchange: Exchange },
): void {
  const message = `${exchange.generation} ${describeAnswer(exchange)} to the right key in ${name}; expected that the key is accepted`;
  t.expect(exchange.status !== 0 && ![401, 403].includes(exchange.status), { cell, exchange, message });
}

/** A request that was sent with faulty credentials, and its answer. */
interface Tried {
  cell: string;
  exchange: Exchange;
}

/** Requests that were sent with the faults of one group. */
interface Trials {
  /**
   * Number of planned cells; a cell is one request with one fault. Fewer are sent in a read-only run, or after the
   * circuit breaker opens.
   */
  cells: number;
  tried: readonly Tried[];
}

/** Trials of a run by group of faults. Cached, because two requirements judge the requests without a key. */
const sentTrials = new WeakMap<Recorder, Map<CredentialFaults, Promise<Trials>>>();

/**
 * Judges that the target refused every request with a fault of the group: the requests that `sendTrials` sends, and
 * those that scenarios have sent. If at least one request was refused, ignores a single request without an answer, and
 * answers of a gateway, an overloaded service or for missing credit (`saysNothing`).
 */
async function refusesAll(t: CheckContext, faults: CredentialFaults): Promise<void> {
  const ofRun = sentTrials.get(t.recorder) ?? new Map<CredentialFaults, Promise<Trials>>();
  sentTrials.set(t.recorder, ofRun);
  const trials = ofRun.get(faults) ?? sendTrials(t, faults);
  ofRun.set(faults, trials);
  const { cells, tried } = await trials;
  const ofScenarios = t.recorder
    .all()
    .filter((exchange) => !ownIds.includes(exchange.sentBy) && faultsIn(exchange, t.target) === faults);
  const nameCell = ({ generation, operation, sentBy }: Exchange): string => `${generation} ${operation} of ${sentBy}`;
  const scenarioCells = new Set(ofScenarios.map((exchange) => nameCell(exchange)));
  t.cellTotal(cells + scenarioCells.size, t.readOnly ? onlyReading : breakerReason);
  const all = [...tried, ...ofScenarios.map((exchange) => ({ cell: nameCell(exchange), exchange }))];
  const someRejected = all.some(({ exchange }) => wasRejected(exchange));
  // One request without an answer among refused ones may be a fault of the network.
  const unanswered = all.filter(({ exchange }) => exchange.status === 0).length;
  const isLost = ({ status }: Exchange): boolean => status === 0 && unanswered === 1;
  const judged = all.filter(({ exchange }) => !someRejected || !(saysNothing(exchange) || isLost(exchange)));
  for (const { cell, exchange } of judged) judge(t, cell, exchange);
}

/**
 * Sends the requests of `guardedRequests` with each fault of a group, and other reads with faults drawn by the seed.
 * For the group `noKey`, also sends other creations and changes, and judges that stored resources keep their values.
 * Sends the first request of each generation also with the `rareFaults` of the group. Skips creations in a
 * read-only run and after the circuit breaker opens.
 */
async function sendTrials(t: CheckContext, faults: CredentialFaults): Promise<Trials> {
  const guarded = (await Promise.all(t.generations.map((generation) => guardedRequests(t, generation)))).flat();
  const names = new Set(guarded.map(({ name }) => name));
  const all = guarded.flatMap((request) => credentialFaults[faults].map((fault) => ({ request, fault })));
  const seen = [...seenReads(t), ...(await readsById(t))];
  const others = seen.filter(
    ({ name }, index) => !names.has(name) && seen.findIndex((read) => read.name === name) === index,
  );
  const drawn = others.flatMap((request, index) =>
    drawnFaults(faults, index + t.seed).map((fault) => ({ request, fault })),
  );
  const changes =
    faults === 'noKey' ? [...otherCreations(t), ...changesById(t)].filter(({ name }) => !names.has(name)) : [];
  const changing = changes.flatMap((request) =>
    credentialFaults.noKey.slice(0, 1).map((fault) => ({ request, fault })),
  );
  const firsts = guarded.filter(
    ({ spec }, index) => guarded.findIndex((other) => other.spec.generation === spec.generation) === index,
  );
  const rare = firsts.flatMap((request) => rareFaults[faults].map((fault) => ({ request, fault })));
  const wanted = [...all, ...rare, ...drawn, ...changing]
    .flatMap(({ request, fault }) => {
      const spec = withFault(request.spec, fault, t.apiKey);
      return spec === undefined ? [] : [{ request, spec, cell: `${request.name} with ${fault.name}` }];
    })
    .filter(({ cell }) => t.only?.cell === undefined || t.only.cell === cell);
  const stored = faults === 'noKey' ? await readStored(t) : [];
  const breaker = createCircuitBreaker();
  const tried: Tried[] = [];
  for (const { request, spec, cell } of wanted) {
    if ((t.readOnly || breaker.on()) && request.kind !== undefined) continue;
    const exchange = await (request.kind === undefined ? t.send(spec) : t.resources.probe(request.kind, spec));
    if (request.kind !== undefined && !wasRejected(exchange)) breaker.note(exchange);
    tried.push({ cell, exchange });
  }
  for (const { spec, exchange } of stored) expectUnchanged(t, exchange, await t.send(spec));
  return { cells: new Set(wanted.map(({ cell }) => cell)).size, tried };
}

/**
 * Fetches the profile and the workspace of the run that requests without a key try to change and to delete. Omits a
 * resource that does not exist or is not answered with 200.
 */
async function readStored(t: CheckContext): Promise<{ spec: RequestSpec; exchange: Exchange }[]> {
  const specs = (['v4.getProfile', 'v4.getWorkspace'] as const).flatMap((key) => {
    const operation = operationRow(key);
    const kind = findOwnerKind(operation);
    const entry = t.ledger.entries().findLast((item) => isNamedBy(item, kind, operation.generation));
    const place = t.generations.includes('v4') ? offered(t, key) : null;
    if (entry?.id === undefined || place === null) return [];
    return [
      { generation: 'v4', operation: operation.id, method: 'GET', path: pathWithId(place.path, entry.id) } as const,
    ];
  });
  const read = await Promise.all(specs.map(async (spec) => ({ spec, exchange: await t.send(spec) })));
  return read.filter(({ exchange }) => exchange.status === 200);
}

/** Members of a profile and of a workspace that a change may set. */
const storedMembers: readonly string[] = ['name', 'userId', 'archived'];

function expectUnchanged(t: CheckContext, before: Exchange, after: Exchange): void {
  const picked = ({ status, json }: Exchange): string =>
    JSON.stringify([status, ...storedMembers.map((member) => memberAt(json, member) ?? null)]);
  const message = `${after.operation} shows ${picked(after)} after requests without a key, and ${picked(before)} before; expected no effect`;
  t.expect(picked(after) === picked(before), { cell: after.operation, exchange: after, message });
}

/**
 * Creations that need no member in the body and that `creatingRequests` does not contain, with the kind of the created
 * resource.
 */
const bareCreations: readonly (readonly [OperationKey, ResourceKind])[] = [
  ['v2.createSession', 'session'],
  ['v2.createProfile', 'profile'],
  ['v3.createProfile', 'profile'],
  ['v4.createProfile', 'profile'],
  ['v3.createWorkspace', 'workspace'],
  ['v4.createWorkspace', 'workspace'],
];

function otherCreations(t: CheckContext): GuardedRequest[] {
  return bareCreations.flatMap(([key, kind]) => {
    const { generation, id } = operationRow(key);
    const place = t.generations.includes(generation) ? offered(t, key) : null;
    if (place === null) return [];
    const spec = { generation, operation: id, method: place.method, path: place.path, body: {} };
    return [{ name: `${generation} ${id}`, kind, spec }];
  });
}

/** Returns the latest successful GET request of the run for each operation (status 200). */
function seenReads(t: CheckContext): GuardedRequest[] {
  const reads = new Map<string, GuardedRequest>();
  for (const exchange of t.recorder.all()) {
    const { generation, request, status } = exchange;
    if (generation === 'other' || request.method !== 'GET' || status !== 200) continue;
    const operation = findOperation(t.target, exchange);
    const path = pathBelowBase(t.target, generation, request.url);
    if (operation === undefined || path === undefined || !t.generations.includes(generation)) continue;
    const name = `${generation} ${operation.id}`;
    // Keeps the latest read: the resource of an earlier read may have been deleted.
    reads.set(name, { name, kind: undefined, spec: { generation, operation: operation.id, method: 'GET', path } });
  }
  return [...reads.values()];
}

/** Kinds of resources, keyed by the path segment that precedes their id. */
const ownersByStep: Readonly<Record<string, ResourceKind>> = {
  tasks: 'task',
  sessions: 'session',
  runs: 'run',
  browsers: 'browser',
  profiles: 'profile',
  workspaces: 'workspace',
};

/**
 * Sends the reads by id that have not succeeded in the run yet: of the newest resource that the operation can name, and
 * of the oldest such resource if the first answer is not 200. Returns the reads that are answered with 200.
 */
async function readsById(t: CheckContext): Promise<GuardedRequest[]> {
  const sent = new Set(seenReads(t).map(({ name }) => name));
  const reads: GuardedRequest[] = [];
  for (const operation of allOperations) {
    const kind = operation.method === 'GET' ? findOwnerKind(operation) : undefined;
    const { key, generation, id } = operation;
    if (kind === undefined || !t.generations.includes(generation) || sent.has(`${generation} ${id}`)) continue;
    const place = offered(t, key);
    const entries = t.ledger.entries().filter((item) => isNamedBy(item, kind, generation));
    if (place === null) continue;
    // The newest resource may still lack the data that the operation reads, such as the log of a task.
    for (const entry of [...entries.slice(-1), ...entries.slice(0, 1)]) {
      const spec = { generation, operation: id, method: 'GET', path: pathWithId(place.path, entry.id ?? '') };
      const read = readingRequest(key, spec);
      if ((await t.send(read.spec)).status !== 200) continue;
      reads.push(read);
      break;
    }
  }
  return reads;
}

/**
 * Returns the kind of the resource that an operation with one id in its path names; undefined for any other operation,
 * and for a path of an unknown kind.
 */
function findOwnerKind({ path }: Operation): ResourceKind | undefined {
  const [, step = '', parameter = '', ...rest] = path.split('/');
  const isOfOne = parameter.startsWith('{') && !rest.some((part) => part.startsWith('{'));
  return isOfOne ? ownersByStep[step] : undefined;
}

/**
 * POST operations that change an existing resource and start no task. The suite sends them without a key, as it sends
 * every PATCH and DELETE operation.
 */
const changingPosts: readonly string[] = ['uploadWorkspaceFiles', 'createPublicShare', 'stopSession', 'cancelRun'];

function isChange({ method, id }: Operation): boolean {
  return ['PATCH', 'DELETE'].includes(method) || changingPosts.includes(id);
}

/**
 * Returns requests that change resources of the run. They are never sent with the right key: only a target without a
 * key check carries out these requests.
 */
function changesById(t: CheckContext): GuardedRequest[] {
  return allOperations.flatMap((operation) => {
    const kind = isChange(operation) ? findOwnerKind(operation) : undefined;
    const { key, generation, id, method } = operation;
    const place = kind === undefined || !t.generations.includes(generation) ? null : offered(t, key);
    const entry = t.ledger.entries().findLast((item) => isNamedBy(item, kind, generation));
    if (place === null || entry?.id === undefined) return [];
    const query = operation.queryParameters.includes('path') ? '?path=svc-check.txt' : '';
    const body = t.answers.getExample(operation);
    const spec = { generation, operation: id, method, path: `${pathWithId(place.path, entry.id)}${query}` };
    return [{ name: `${generation} ${id}`, kind: undefined, spec: body === undefined ? spec : { ...spec, body } }];
  });
}

/** Kinds of resources that generations share: an operation can name a resource that another generation has created. */
const sharedKinds: readonly ResourceKind[] = ['profile', 'workspace'];

/**
 * Returns true if operations of the generation can name the resource of a ledger entry: a resource of this kind with an
 * id, created with the key of the run.
 */
function isNamedBy(entry: LedgerEntry, kind: ResourceKind | undefined, generation: Generation): boolean {
  if (entry.kind !== kind || entry.id === undefined || entry.key === 'other') return false;
  // A profile or workspace that has ended was deleted; other resources are still shown after their end.
  return sharedKinds.includes(entry.kind) ? entry.state === 'live' : entry.generation === generation;
}

/**
 * Returns every fault of the group `noKey`; of any other group, only the fault at index `at` modulo the length of the
 * group.
 */
function drawnFaults(faults: CredentialFaults, at: number): readonly CredentialFault[] {
  const group: readonly CredentialFault[] = credentialFaults[faults];
  return faults === 'noKey' ? group : group.slice(at % group.length, (at % group.length) + 1);
}

function judge(t: CheckContext, cell: string, exchange: Exchange): void {
  const message = `${cell} ${describeAnswer(exchange)}; expected a refusal (4xx, or a redirect)`;
  t.expect(wasRejected(exchange), { cell, exchange, message });
}

/**
 * Returns the creations of `creatingRequests`, which need no existing resource, and the reads of `readingKeys` that are
 * answered with 200. Sends these reads with the right key.
 */
async function guardedRequests(t: CheckContext, generation: Generation): Promise<GuardedRequest[]> {
  const reads = await Promise.all(readingKeys[generation].map((keys) => readingRequests(t, keys)));
  return [...reads.flat(), ...creatingRequests(t)[generation]];
}

/** Operations that read without an id. A list is paired with the operation that reads one of its items. */
const readingKeys: Readonly<Record<Generation, readonly (readonly [OperationKey, OperationKey?])[]>> = {
  v2: [['v2.listTasks', 'v2.getTask'], ['v2.listSessions', 'v2.getSession'], ['v2.getBillingAccount']],
  v3: [['v3.listSessions', 'v3.getSession'], ['v3.getBillingAccount']],
  v4: [
    ['v4.listRuns', 'v4.getRun'],
    ['v4.listSessions', 'v4.getSession'],
    ['v4.listBrowsers', 'v4.getBrowser'],
  ],
};

async function readingRequests(
  t: CheckContext,
  [list, get]: readonly [OperationKey, OperationKey?],
): Promise<GuardedRequest[]> {
  const found = offered(t, list);
  if (found === null) return [];
  const { generation } = operationRow(list);
  const { method, path } = found;
  const request: GuardedRequest = readingRequest(list, { generation, operation: operationRow(list).id, method, path });
  const answer = await t.send(request.spec);
  if (answer.status !== 200) return [];
  if (get === undefined) return [request];
  const { items, id } = getListOperation(list);
  const first = identifier(memberAt(listItems(answer, statedItems(t.target, list) ?? items)[0], id));
  const one = offered(t, get);
  if (first === undefined || one === null) return [request];
  const spec = { generation, operation: operationRow(get).id, method: one.method, path: pathWithId(one.path, first) };
  const record = readingRequest(get, spec);
  return (await t.send(record.spec)).status === 200 ? [request, record] : [request];
}

function offered({ target }: CheckContext, key: OperationKey): OperationTarget | null {
  return offeredEndpoint(target, key) ?? (target.operations === null ? targetFileEndpoint(target, key) : null);
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

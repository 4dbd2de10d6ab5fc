import { type Check, type CheckContext, check, law } from '../../core/check.ts';
import { show } from '../../common/session-records.ts';
import { expectWorks } from '../../common/working-operations.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import type { RequestSpec } from '../../core/request.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { saysNothing } from '../../common/refusals.ts';
import { describeAnswer, type Exchange, refused, succeeded, isServerError } from '../../core/exchange.ts';
import { identifier, isJsonObject, memberAt } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import { isFollowUp } from '../../properties/laws/writes.ts';
import type { Generation } from '../../core/target.ts';

/** Operations of the contract that create and fetch one kind of resource, and return its id. */
const kinds = {
  v2: { what: 'task', creation: 'createTask', fetch: 'getTask' },
  v3: { what: 'session', creation: 'createSession', fetch: 'getSession' },
  v4: { what: 'run', creation: 'createRun', fetch: 'getRun' },
} as const;

/** Checks that a response is about the requested resource. */
export const identityChecks: readonly Check[] = [
  law('IDENTITY-01', (t) => {
    const fetches = fetchesSeen(t).filter(({ exchange }) => succeeded(exchange));
    for (const { exchange, asked, generation } of fetches) {
      const found = identifier(memberAt(exchange.json, idPlace(t, generation)));
      // The contract shows no record of a V2 task.
      if (generation !== 'v2') {
        const message = `the fetch of the ${kinds[generation].what} ${asked} shows ${show(exchange.json)}; expected an object with its id`;
        t.expect(isJsonObject(exchange.json), { exchange, message });
      }
      if (found === undefined) continue;
      const message = `the fetch of the ${kinds[generation].what} ${asked} shows the id ${found}; expected the requested id`;
      t.expect(isSameId(found, asked), { exchange, member: '/id', message });
    }
    if (fetches.length === 0) t.notTestable('no session, task or run was fetched');
    showsOwnTask(t, fetches);
  }),
  law('IDENTITY-02', (t) => {
    const owners = new Map<string, Exchange>();
    for (const { exchange, id, generation } of creationsSeen(t)) {
      const owner = owners.get(`${generation} ${id}`);
      const message = `two creations of a ${kinds[generation].what} answer with the id ${id}; expected one each`;
      t.expect(owner === undefined, { exchange, member: '/id', message });
      owners.set(`${generation} ${id}`, exchange);
    }
    if (owners.size === 0) t.notTestable('no session, task or run was created');
  }),
  law('IDENTITY-03', (t) => {
    const byId = Map.groupBy(fetchesSeen(t), ({ asked, generation }) => `${generation} ${asked}`);
    // The session of another project is not shown to this key.
    const own = creationsSeen(t).filter(({ exchange }) => withOwnKey(t, exchange));
    const created = own
      .filter(({ generation }) => isOffered(t, generation))
      .flatMap((one) => {
        const erased = removedAtMs(t, one);
        const fetches = byId.get(`${one.generation} ${one.id}`) ?? [];
        const answers = fetches.filter(({ exchange }) => isFinal(exchange) && exchange.atMs < erased);
        return answers.length === 0 ? [] : [{ ...one, answers }];
      });
    for (const { id, generation, answers } of created) {
      const [first] = answers;
      const message = `the ${kinds[generation].what} ${id} was created, and its fetch ${first === undefined ? '' : describeAnswer(first.exchange)}; expected its record`;
      t.expect(
        answers.some(({ exchange }) => succeeded(exchange)),
        { exchange: first?.exchange, message },
      );
      staysKnown(t, { id, generation, answers });
    }
    for (const one of own) isReadable(t, one, byId.get(`${one.generation} ${one.id}`) ?? []);
    if (isOffered(t, 'v2')) expectWorks(t, 'v2.getTask');
    if (isOffered(t, 'v4')) expectWorks(t, 'v4.getRun');
    if (created.length === 0) t.notTestable('no created resource was fetched');
  }),
  check('IDENTITY-04', { reads: true }, async (t) => {
    if (t.target.stateless) t.notTestable('this target is stateless: its answers are examples');
    for (const id of [randomUuid(createRandom(t.seed + 11)), 'not-an-id']) {
      for (const spec of namedRequests(t, id)) {
        const exchange = await t.send({ ...spec, invalid: true });
        const message = `${exchange.operation} with the id ${id}, which no creation has answered with, ${describeAnswer(exchange)}; expected a refusal (4xx)`;
        const cell = `${spec.generation} ${exchange.operation} ${id === 'not-an-id' ? id : 'an unknown id'}`;
        t.expect(refused(exchange) || saysNothing(exchange), { cell, exchange, message });
      }
    }
  }),
];

/** Returns the requests of a target that name one resource by its id and create nothing. */
function namedRequests(t: CheckContext, id: string): RequestSpec[] {
  const { v2, v3, v4 } = t.target;
  const hasBrowsers = noBrowsers(t.target) === undefined;
  const fetches = (['v2.getSession', 'v4.getSession', 'v2.getProfile', 'v3.getProfile', 'v4.getProfile'] as const).map(
    (key) => t.operations.request(key, { path: [id] }),
  );
  const specs = [
    v3 === null ? undefined : t.sessions.request('get', id),
    ...(v2 === null ? [] : (['record', 'status'] as const).map((view) => t.jobs.task.request(view, id))),
    ...(v4 === null ? [] : (['record', 'status'] as const).map((view) => t.jobs.run.request(view, id))),
    ...(hasBrowsers ? (['get', 'stop'] as const).map((operation) => t.browsers.request(operation, id)) : []),
    ...(t.target.operations === null ? [] : fetches),
  ];
  return specs.filter((spec) => spec !== undefined).filter(({ method }) => method === 'GET' || !t.readOnly);
}

/** Judges that no record shows the task text of another record in place of the text that its creation sent. */
function showsOwnTask(t: CheckContext, fetches: readonly Fetch[]): void {
  const sent = new Map(
    creationsSeen(t).map(({ exchange, id, generation }) => [`${generation} ${id}`, requestObject(exchange)['task']]),
  );
  const foreign = fetches
    .filter(({ asked, generation }) => !sent.has(`${generation} ${asked}`))
    .map(({ exchange }) => memberAt(exchange.json, 'task'));
  const known = new Set([...sent.values(), ...foreign]);
  for (const { exchange, asked, generation } of fetches) {
    const [shown, own] = [memberAt(exchange.json, 'task'), sent.get(`${generation} ${asked}`)];
    if (typeof shown !== 'string' || typeof own !== 'string' || shown === own) continue;
    const message = `the fetch of the ${kinds[generation].what} ${asked} shows the task ${show(shown)} of another one; its creation sent ${show(own)}`;
    t.expect(!known.has(shown), { exchange, member: '/task', message });
  }
}

/** Judges that the fetches of what was created did not all fail with a server error. */
function isReadable(t: CheckContext, { id, generation }: Creation, fetches: readonly Fetch[]): void {
  const [first] = fetches;
  if (first === undefined || fetches.length < 2) return;
  const message = `the ${kinds[generation].what} ${id} was created, and each of ${fetches.length} fetches ${describeAnswer(first.exchange)}; expected its record`;
  const isFailing = fetches.every(({ exchange }) => isServerError(exchange.status));
  t.expect(!isFailing, { exchange: first.exchange, message });
}

/**
 * Returns true if the target serves the fetch of a generation at the path that the suite uses. The contract states only
 * the path of V3. An operation of another generation that finds nothing at all may be served elsewhere.
 */
function isOffered(t: CheckContext, generation: Generation): boolean {
  const sent = fetchesSeen(t).filter((fetch) => fetch.generation === generation);
  return generation === 'v3' || sent.some(({ exchange }) => ![404, 405, 410, 501].includes(exchange.status));
}

/** Judges that a fetched resource does not become unknown later, unless a deletion was requested meanwhile. */
function staysKnown(
  t: CheckContext,
  { id, generation, answers }: { id: string; generation: Generation; answers: readonly Fetch[] },
): void {
  const known = answers.find(({ exchange }) => succeeded(exchange))?.exchange;
  const lost = answers.find(
    ({ exchange }) => known !== undefined && exchange.atMs > known.atMs && exchange.status === 404,
  );
  if (known === undefined || lost === undefined || removals(t, generation).some((atMs) => atMs < lost.exchange.atMs))
    return;
  const message = `the ${kinds[generation].what} ${id} was fetched, and a later fetch ${describeAnswer(lost.exchange)}, although nothing was deleted; expected its record`;
  t.expect(false, { exchange: lost.exchange, message });
}

/** Returns the time of the first request that may have removed a record by its id or its session's; infinite without one. */
function removedAtMs(t: CheckContext, { exchange, id, generation }: Creation): number {
  const names = [id, identifier(memberAt(exchange.json, 'sessionId')) ?? id];
  const own = removalsSeen(t).find(
    ({ request, generation: of }) => of === generation && names.some((name) => request.url.includes(name)),
  );
  return own?.atMs ?? Number.POSITIVE_INFINITY;
}

/** Returns the times of the requests of a generation that may have removed a record. */
function removals(t: CheckContext, generation: Generation): number[] {
  return removalsSeen(t)
    .filter((exchange) => exchange.generation === generation)
    .map(({ atMs }) => atMs);
}

const removalsSeen = deriveOnce((t): readonly Exchange[] =>
  t.recorder.all().filter((exchange) => isRemoval(exchange) && !refused(exchange)),
);

function isRemoval({ request }: Exchange): boolean {
  return request.method === 'DELETE' || request.url.endsWith('/purge');
}

interface Fetch {
  readonly exchange: Exchange;
  readonly generation: Generation;
  readonly asked: string;
}

interface Creation {
  readonly exchange: Exchange;
  readonly generation: Generation;
  readonly id: string;
}

const fetchesSeen = deriveOnce((t): readonly Fetch[] => {
  if (t.target.stateless) return t.notTestable('this target is stateless: its answers are examples');
  return t.recorder.all().flatMap((exchange) => {
    const { generation, operation } = exchange;
    if (generation === 'other' || operation !== kinds[generation].fetch || !withOwnKey(t, exchange)) return [];
    return [{ exchange, generation, asked: lastPart(exchange) }];
  });
});

const creationsSeen = deriveOnce((t): readonly Creation[] => {
  if (t.target.stateless) return t.notTestable('this target is stateless: its answers are examples');
  return t.recorder.all().flatMap((exchange) => {
    const { generation, operation } = exchange;
    if (generation === 'other' || operation !== kinds[generation].creation) return [];
    if (!succeeded(exchange) || isFollowUp(exchange)) return [];
    const id = identifier(memberAt(exchange.json, idPlace(t, generation)));
    return id === undefined ? [] : [{ exchange, generation, id }];
  });
});

/**
 * Returns true if the response shows whether the id exists. An exhausted budget, a limited rate or a server error does
 * not show that.
 */
function isFinal(exchange: Exchange): boolean {
  return succeeded(exchange) || (refused(exchange) && ![401, 402, 408, 429].includes(exchange.status));
}

function withOwnKey({ target }: CheckContext, { request }: Exchange): boolean {
  return request.headers[target.keyHeader] === '$SERVICE_API_KEY';
}

function idPlace({ target }: CheckContext, generation: Generation): string {
  return generation === 'v4' ? 'id' : (target[generation]?.idIn ?? 'id');
}

function lastPart({ request }: Exchange): string {
  return decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
}

/** Returns true for equal ids; a UUID may be written in upper or lower case. */
function isSameId(found: string, asked: string): boolean {
  return found.toLowerCase() === asked.toLowerCase();
}

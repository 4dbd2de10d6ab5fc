import { type Check, type CheckContext, check, law } from '../../core/check.ts';
import { show } from '../../core/text.ts';
import { expectWorks } from '../../common/working-operations.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import type { RequestSpec } from '../../core/request.ts';
import { noBrowsers } from '../../ledger/browser-api.ts';
import { saysNothing } from '../../common/refusals.ts';
import { describeAnswer, type Exchange, refused, succeeded, isServerError } from '../../core/exchange.ts';
import { identifier, isJsonObject, memberAt } from '../../core/json.ts';
import { requestObject } from '../../core/request-json.ts';
import {
  type Creation,
  creationsSeen,
  type Fetch,
  fetchesSeen,
  idPlace,
  isFinal,
  isOffered,
  kinds,
  withOwnKey,
} from './created-records.ts';
import { fetchUnknown, removedAtMs, staysKnown, staysReadable } from './kept-records.ts';

/**
 * Checks of the identity of resources: a response is about the requested resource, new ids are unique, created
 * resources stay readable, and unknown ids are refused.
 */
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
  check('IDENTITY-03', { phase: 'last', early: isFetchable }, async (t) => {
    // `isFetchable` may end the check as not testable, so it comes last.
    if (!t.target.stateless && !t.readOnly) {
      await fetchUnknown(t);
      await staysReadable(t);
    }
    isFetchable(t);
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

/**
 * Returns the offered requests that fetch a resource by this id, and the request that stops a browser. In a read-only
 * run, returns only GET requests.
 */
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
    const message = `the fetch of the ${kinds[generation].what} ${asked} shows the task ${show(shown)} of another one; expected ${show(own)}, which its creation sent`;
    t.expect(!known.has(shown), { exchange, member: '/task', message });
  }
}

/**
 * Judges by all exchanges of the run that created resources can be fetched, that no fetch after a successful fetch gets
 * 404 (`staysKnown`), and that the fetches of V2 and V4 work. Ends the check as not testable if no created resource was
 * fetched.
 */
function isFetchable(t: CheckContext): void {
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
}

/** Judges that not every fetch of a created resource failed with a server error, if there were at least two. */
function isReadable(t: CheckContext, { id, generation }: Creation, fetches: readonly Fetch[]): void {
  const [first] = fetches;
  if (first === undefined || fetches.length < 2) return;
  const message = `the ${kinds[generation].what} ${id} was created, and each of ${fetches.length} fetches ${describeAnswer(first.exchange)}; expected its record`;
  const isFailing = fetches.every(({ exchange }) => isServerError(exchange.status));
  t.expect(!isFailing, { exchange: first.exchange, message });
}

/** Returns true for equal ids; a UUID may be written in upper or lower case. */
function isSameId(found: string, asked: string): boolean {
  return found.toLowerCase() === asked.toLowerCase();
}

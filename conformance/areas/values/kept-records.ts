/** Judges that the record of a session, task or run that was fetched once can be fetched for the rest of the run. */
import type { CheckContext } from '../../core/check.ts';
import { deriveOnce } from '../../core/derive-once.ts';
import { describeAnswer, type Exchange, refused, succeeded, isServerError } from '../../core/exchange.ts';
import { identifier, memberAt, toText } from '../../core/json.ts';
import { endStates } from '../../common/observed-session.ts';
import type { Generation } from '../../core/target.ts';
import {
  type Creation,
  creationsSeen,
  type Fetch,
  fetchesSeen,
  isFinal,
  isOffered,
  kinds,
  withOwnKey,
} from './created-records.ts';

/**
 * Judges that no fetch of a resource is answered with 404 after an earlier fetch has succeeded. Judges nothing if a
 * removal of the same generation was requested before the 404, or if the record may be outdated.
 */
export function staysKnown(
  t: CheckContext,
  { id, generation, answers }: { id: string; generation: Generation; answers: readonly Fetch[] },
): void {
  const known = answers.find(({ exchange }) => succeeded(exchange))?.exchange;
  const lost = answers.find(
    ({ exchange }) => known !== undefined && exchange.atMs > known.atMs && exchange.status === 404,
  )?.exchange;
  if (known === undefined || lost === undefined) return;
  const last = answers.findLast(({ exchange }) => succeeded(exchange) && exchange.atMs < lost.atMs)?.exchange ?? known;
  if (removals(t, generation).some((atMs) => atMs < lost.atMs) || mayBeOutdated(t, { generation, last, lost })) return;
  const message = `the ${kinds[generation].what} ${id} was fetched, and a later fetch ${describeAnswer(lost)}, although nothing was deleted; expected its record`;
  t.expect(false, { exchange: lost, message });
}

/** Maximum number of resources that are fetched once more because their last fetches have failed. */
const repeatsMax = 6;

/**
 * Sends one more fetch for each resource whose last fetches have failed, at most `repeatsMax`. Judges that the resource
 * shows its record again if an earlier fetch has shown the record.
 */
export async function staysReadable(t: CheckContext): Promise<void> {
  const lost = creationsSeen(t)
    .filter(({ exchange, generation }) => withOwnKey(t, exchange) && isOffered(t, generation))
    .flatMap((one) => findLost(t, one) ?? []);
  for (const { creation, last, failed } of lost.slice(0, repeatsMax)) {
    const { generation, id } = creation;
    const spec = generation === 'v3' ? t.sessions.request('get', id) : recordRequest(t, generation, id);
    if (spec === undefined) continue;
    const exchange = await t.send(spec);
    // If no fetch has shown the record, `isFetchable` judges all fetches of the resource together.
    if (last === undefined || !isFailure(exchange) || !isServed(t, generation, failed)) continue;
    const message = `the ${kinds[generation].what} ${id} was ${toText(memberAt(last.json, 'status'))} and could be fetched; later its fetch ${describeAnswer(failed)}, and at the end of the run it ${describeAnswer(exchange)}, although nothing of it was deleted; expected its record`;
    t.expect(false, { exchange, message });
  }
}

/**
 * For V2 and V4 each, fetches a created task or run whose reads were all answered with 404 or 410, at least
 * `settleDeadlineMs` after its creation. Fetches another task or run of the list first, and continues only if this
 * fetch succeeds: the contract does not show these fetches, so the target may serve them at other paths.
 */
export async function fetchUnknown(t: CheckContext): Promise<void> {
  for (const generation of ['v2', 'v4'] as const) {
    const jobs = t.jobs[generation === 'v2' ? 'task' : 'run'];
    const unknown = creationsSeen(t).find((one) => one.generation === generation && isUnknown(t, one));
    if (unknown === undefined || t.target[generation] === null) continue;
    const [record, list] = [recordRequest(t, generation, unknown.id), jobs.request('list', '')];
    if (record === undefined || list === undefined) continue;
    const restMs = unknown.exchange.atMs + t.target.polling.settleDeadlineMs - t.nowMs();
    if (restMs > 0) await t.pause(restMs);
    const other = jobs.readIds(await t.send(list))?.find((id) => id !== unknown.id);
    const control = other === undefined ? undefined : recordRequest(t, generation, other);
    if (control !== undefined && succeeded(await t.send(control))) await t.send(record);
  }
}

/** Operations that read a task or run. */
const reads = ['getTask', 'getTaskStatus', 'getRun', 'getRunStatus'];

/**
 * Returns true if each read of a created task or run was answered with 404 or 410, and no request may have removed it.
 */
function isUnknown(t: CheckContext, creation: Creation): boolean {
  const looks = t.recorder
    .all()
    .filter(({ operation, request }) => reads.includes(operation) && request.url.includes(creation.id))
    .filter((exchange) => withOwnKey(t, exchange));
  const isGone = looks.length > 0 && looks.every(({ status }) => status === 404 || status === 410);
  return isGone && withOwnKey(t, creation.exchange) && removedAtMs(t, creation) === Number.POSITIVE_INFINITY;
}

function recordRequest(t: CheckContext, generation: 'v2' | 'v4', id: string): ReturnType<typeof t.jobs.run.request> {
  return t.jobs[generation === 'v2' ? 'task' : 'run'].request('record', id);
}

/** A resource whose last fetches have failed. */
interface Lost {
  readonly creation: Creation;
  /** The last fetch that has shown the record; undefined if none has. */
  readonly last: Exchange | undefined;
  /** The failed fetch that directly follows `last`; the first fetch of all if `last` is undefined. */
  readonly failed: Exchange;
}

function findLost(t: CheckContext, creation: Creation): Lost | undefined {
  const { generation, id } = creation;
  const erased = removedAtMs(t, creation);
  const looks = fetchesSeen(t)
    .filter(({ asked, generation: of }) => of === generation && asked === id)
    .map(({ exchange }) => exchange)
    .filter((exchange) => isFinal(exchange) || isServerError(exchange.status));
  const index = looks.findLastIndex((exchange) => succeeded(exchange));
  const [last, failed] = [looks[index], looks[index + 1]];
  // A resource that was removed at any time is not judged, because a fetch and a removal may overlap.
  if (failed === undefined || erased < Number.POSITIVE_INFINITY) return undefined;
  if (last === undefined) return isServerError(failed.status) ? { creation, last, failed } : undefined;
  return mayBeOutdated(t, { generation, last, lost: failed }) ? undefined : { creation, last, failed };
}

function isFailure(exchange: Exchange): boolean {
  return (refused(exchange) && isFinal(exchange)) || isServerError(exchange.status);
}

/**
 * Returns true if a fetch of the generation has succeeded after the exchange `since`: the operation, the key and the
 * host work.
 */
function isServed(t: CheckContext, generation: Generation, since: Exchange): boolean {
  return fetchesSeen(t).some(
    ({ exchange, generation: of }) => of === generation && exchange.atMs > since.atMs && succeeded(exchange),
  );
}

/**
 * Returns true if the clock of the target was moved before the fetch `lost`, and the resource may have ended: a service
 * may keep the records of ended resources for a limited time. A V2 task or V4 run always counts as ended.
 */
function mayBeOutdated(
  t: CheckContext,
  { generation, last, lost }: { generation: Generation; last: Exchange; lost: Exchange },
): boolean {
  const hasEnded = generation !== 'v3' || endStates.includes(toText(memberAt(last.json, 'status')));
  return hasEnded && clockMoves(t).some((atMs) => atMs < lost.atMs);
}

const clockMoves = deriveOnce((t): readonly number[] =>
  t.recorder
    .all()
    .filter(({ operation }) => operation === 'advanceClock')
    .map(({ atMs }) => atMs),
);

/**
 * Members of a record with the ids of resources to which it belongs: the removal of such a resource may remove the
 * record.
 */
const owners = ['sessionId', 'workspaceId', 'profileId'];

/** Returns the time of the first request that may have removed a record; infinite without one. */
export function removedAtMs(t: CheckContext, { exchange: created, id, generation }: Creation): number {
  const records = fetchesSeen(t).filter(({ asked, generation: of }) => of === generation && asked === id);
  const bodies = [created.json, ...records.map(({ exchange }) => exchange.json)];
  const shown = bodies.flatMap((body) => owners.map((member) => identifier(memberAt(body, member))));
  const names = [id, ...new Set(shown.filter((name) => name !== undefined))];
  const own = removalsSeen(t).find(({ request }) => names.some((name) => request.url.includes(name)));
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

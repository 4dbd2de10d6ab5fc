import { type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, memberAt, toText } from '../../core/json.ts';
import type { OperationKey } from '../../core/operations.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import { listItems, readNextCursor } from '../../common/followed-pages.ts';
import {
  type ForeignAttempt,
  type ForeignList,
  readAsOwner,
  type OwnResources,
  readForeignLists,
  tryForeign,
} from './foreign-requests.ts';
import type { JobKind } from '../../core/job-target.ts';
import { recordDeletedRun, createQueue, readRunId } from '../../common/message-queue.ts';

/** Every attempt of the other project on a set of resources, and the owner's snapshots of these resources. */
export interface TwoKeys {
  resources: OwnResources;
  /**
   * Responses to the owner's reads before the attempts of the other project; `after` holds the responses after these
   * attempts.
   */
  before: Exchange[];
  after: Exchange[];
  attempts: ForeignAttempt[];
  lists: ForeignList[];
}

/** A list whose cursors are tried by the other project. */
export interface CursorList {
  key: OperationKey;
  /** Path parameters of the owner's list; `theirs` holds those of the other project's list. */
  ours: readonly string[];
  theirs: readonly string[];
}

/** Further attempts with the other project's key: lists to read, and cursors to reuse. */
export interface FurtherAttempts {
  lists: readonly OperationKey[];
  /** Responses to the owner's reads before the attempts, if the caller has already sent them. @defaultValue sent now */
  before?: Exchange[];
  cursors?: readonly CursorList[];
}

/**
 * Tries every operation that names one of the resources, and the given lists and cursors, with the key of the other
 * project. The owner reads the resources before and after these attempts.
 */
export async function tryEverything(
  context: ScenarioContext,
  resources: OwnResources,
  besides: FurtherAttempts,
): Promise<TwoKeys> {
  const before = besides.before ?? (await readAsOwner(context, resources));
  const lists = await readForeignLists(context, besides.lists);
  const cursors: ForeignAttempt[] = [];
  for (const list of besides.cursors ?? []) cursors.push(...(await tryCursor(context, list)));
  const attempts = [...cursors, ...(await tryForeign(context, resources))];
  return { resources, before, attempts, lists, after: await readAsOwner(context, resources) };
}

/**
 * Reads the other project's list with a cursor of the owner's list. Returns an empty list if the owner's list fits on
 * one page and so returns no cursor.
 */
async function tryCursor(context: ScenarioContext, { key, ours, theirs }: CursorList): Promise<ForeignAttempt[]> {
  const other = { other: context.otherApiKey ?? '' };
  if (!context.operations.offers(key)) return [];
  const own = await context.operations.call(key, { path: ours, query: { limit: 1 } });
  const cursor = readNextCursor(own);
  if (!succeeded(own) || cursor === undefined) return [];
  const unknown = await context.operations.call(key, { path: theirs, query: { limit: 100 }, key: other });
  const exchange = await context.operations.call(key, { path: theirs, query: { limit: 100, cursor }, key: other });
  return [{ place: { operation: key, where: 'query', name: 'cursor' }, own, unknown, exchange }];
}

/** Returns the paths of the files in a list. */
export function pathsIn(list: Exchange): string[] {
  return listItems(list, 'files').map((file) => toText(memberAt(file, 'path')));
}

/**
 * Marks a resource as ended in the ledger if the owner's later fetch gets 404 or 410: the other project has then
 * deleted the resource.
 */
export function markRemoved({ ledger }: ScenarioContext, { resources, after }: TwoKeys): void {
  const gone = after.filter(({ status }) => status === 404 || status === 410);
  for (const entry of ledger.entries()) {
    const isOurs = Object.values(resources.ids).some((id) => id === entry.id);
    const named = gone.some(({ request }) => request.url.split('?')[0]?.endsWith(`/${entry.id ?? ''}`) === true);
    if (isOurs && named && entry.state === 'live') ledger.update(entry, { state: 'ended' });
  }
}

/** A task or run of the first project, and the owner's snapshot of this job (`before`). */
export interface OwnJob {
  id: string;
  before: Exchange;
}

const runLists = ['v4.listRuns', 'v4.listSessions'] as const;

/** Lists and cursors that the other project tries for a V2 task or a V4 run. */
export const furtherJobAttempts: Readonly<Record<JobKind, FurtherAttempts>> = {
  task: { lists: ['v2.listTasks', 'v2.listSessions'] },
  run: { lists: runLists, cursors: runLists.map((key) => ({ key, ours: [], theirs: [] })) },
};

/**
 * Adds a share to a task's session, or a pending message to a run's session, so that the checks can see whether the
 * share or the message leaks. Returns the ids of the resources.
 */
export function prepareJob(context: ScenarioContext, kind: JobKind, job: OwnJob): Promise<OwnResources> {
  return kind === 'task' ? shareTask(context, job) : queueMessage(context, job);
}

async function shareTask({ operations }: ScenarioContext, { id, before }: OwnJob): Promise<OwnResources> {
  const v2Session = identifier(memberAt(before.json, 'sessionId'));
  if (v2Session === undefined) return { ids: { v2Task: id } };
  if (operations.offers('v2.createPublicShare')) await operations.call('v2.createPublicShare', { path: [v2Session] });
  return { ids: { v2Task: id, v2Session } };
}

const queueKeys = ['v4.createMessage', 'v4.getMessage', 'v4.deleteMessage', 'v4.deleteSession'] as const;

async function queueMessage(context: ScenarioContext, { id, before }: OwnJob): Promise<OwnResources> {
  const { operations, target } = context;
  const v4Session = identifier(memberAt(before.json, 'sessionId'));
  if (v4Session === undefined) return { ids: { v4Run: id } };
  const ids = { v4Run: id, v4Session };
  // After a quick run the message would start another run at once.
  if (target.tasks.slow === null || !queueKeys.every((key) => operations.offers(key))) return { ids };
  const sent = await createQueue(context, v4Session).send({ text: target.tasks.succeed });
  const v4Message = succeeded(sent) ? identifier(memberAt(sent.json, 'id')) : undefined;
  return { ids: v4Message === undefined ? ids : { ...ids, v4Message } };
}

/** Deletes the pending message, which would otherwise start a run when the current run is cancelled. */
export async function deletePendingMessage(context: ScenarioContext, { resources }: TwoKeys): Promise<void> {
  const { v4Session, v4Message } = resources.ids;
  if (v4Session !== undefined && v4Message !== undefined) await createQueue(context, v4Session).takeBack(v4Message);
}

/**
 * Deletes the session of a run, because the pending message of the session may have started a further run. Records the
 * end of both runs in the ledger. Does nothing if no message was pending.
 */
export async function endRunSession(context: ScenarioContext, { resources }: TwoKeys): Promise<void> {
  const { v4Session, v4Run = '', v4Message } = resources.ids;
  if (v4Session === undefined || v4Message === undefined) return;
  const runId = readRunId(await createQueue(context, v4Session).get(v4Message));
  if (runId !== undefined && context.ledger.find('run', runId) === undefined) {
    const entry = context.ledger.request({ kind: 'run', generation: 'v4', createdBy: 'createMessage' });
    context.ledger.update(entry, { state: 'live', id: runId });
  }
  await context.operations.call('v4.deleteSession', { path: [v4Session] });
  for (const id of new Set([v4Run, runId ?? v4Run])) await recordDeletedRun(context, id);
}

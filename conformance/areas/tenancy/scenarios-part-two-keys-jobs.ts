import { type Exchange, succeeded } from '../../core/exchange.ts';
import type { JobKind } from '../../core/job-target.ts';
import { identifier, memberAt } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import type { OwnThings } from './scenarios-part-foreign-attempts.ts';
import { bookGone, createQueue, runIdOf } from '../common/message-queue.ts';
import type { Besides, TwoKeys } from './scenarios-part-two-keys.ts';

/** A task or run of ours that works, and its owner's look. */
export interface OwnJob {
  id: string;
  before: Exchange;
}

const runLists = ['v4.listRuns', 'v4.listSessions'] as const;

/** What is tried besides the operations that name a task or a run. */
export const besidesJob: Readonly<Record<JobKind, Besides>> = {
  task: { lists: ['v2.listTasks', 'v2.listSessions'] },
  run: { lists: runLists, cursors: runLists.map((key) => ({ key, ours: [], theirs: [] })) },
};

/** Gives a task's session a share, and a run's session a message that waits: what is not there nobody could leak. */
export function prepareJob(drive: Drive, kind: JobKind, job: OwnJob): Promise<OwnThings> {
  return kind === 'task' ? shareTask(drive, job) : queueMessage(drive, job);
}

async function shareTask({ operations }: Drive, { id, before }: OwnJob): Promise<OwnThings> {
  const v2Session = identifier(memberAt(before.json, 'sessionId'));
  if (v2Session === undefined) return { ids: { v2Task: id } };
  if (operations.offers('v2.createPublicShare')) await operations.call('v2.createPublicShare', { path: [v2Session] });
  return { ids: { v2Task: id, v2Session } };
}

const queueKeys = ['v4.createMessage', 'v4.getMessage', 'v4.deleteMessage', 'v4.deleteSession'] as const;

async function queueMessage(drive: Drive, { id, before }: OwnJob): Promise<OwnThings> {
  const { operations, target } = drive;
  const v4Session = identifier(memberAt(before.json, 'sessionId'));
  if (v4Session === undefined) return { ids: { v4Run: id } };
  const ids = { v4Run: id, v4Session };
  // Behind a quick run the message would become another one at once.
  if (target.tasks.slow === null || !queueKeys.every((key) => operations.offers(key))) return { ids };
  const sent = await createQueue(drive, v4Session).send({ text: target.tasks.succeed });
  const v4Message = succeeded(sent) ? identifier(memberAt(sent.json, 'id')) : undefined;
  return { ids: v4Message === undefined ? ids : { ...ids, v4Message } };
}

/** Takes the message back: it would begin as soon as its run is cancelled. */
export async function takeBack(drive: Drive, { things }: TwoKeys): Promise<void> {
  const { v4Session, v4Message } = things.ids;
  if (v4Session !== undefined && v4Message !== undefined) await createQueue(drive, v4Session).takeBack(v4Message);
}

/** Ends the session of a run whose message may have become a run too. */
export async function endRunSession(drive: Drive, { things }: TwoKeys): Promise<void> {
  const { v4Session, v4Run = '', v4Message } = things.ids;
  if (v4Session === undefined || v4Message === undefined) return;
  const runId = runIdOf(await createQueue(drive, v4Session).get(v4Message));
  if (runId !== undefined && drive.ledger.find('run', runId) === undefined) {
    const entry = drive.ledger.request({ kind: 'run', generation: 'v4', createdBy: 'createMessage' });
    drive.ledger.update(entry, { state: 'live', id: runId });
  }
  await drive.operations.call('v4.deleteSession', { path: [v4Session] });
  for (const id of new Set([v4Run, runId ?? v4Run])) await bookGone(drive, id);
}

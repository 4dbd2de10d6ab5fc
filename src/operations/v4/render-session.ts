import type { components } from '#generated/v4.ts';
import { shownStatus } from '#contract/lifecycle.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { MessageRow } from '#store/queries/queue.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import type { WithFiles } from './render-run.ts';

type Schemas = components['schemas'];

/** Renders a session with the data of its latest run (companion 7.7). */
export function renderSession({ run, session }: RunOfSession, { rules }: RequestContext): Schemas['SessionInfo'] {
  return {
    sessionId: session.id,
    workspaceId: session.workspaceId,
    latestRunId: run.id,
    task: run.task,
    title: session.title,
    status: shownStatus(rules, 'v4', run.status),
    inboxEmail: session.inboxEmail,
    createdAt: new Date(session.createdAt).toISOString(),
    updatedAt: new Date(session.updatedAt).toISOString(),
  };
}

/** Renders a message (companion 7.8). */
export function renderMessage(message: WithFiles<MessageRow>): Schemas['QueuedMessage'] {
  return {
    id: message.id,
    sessionId: message.sessionId,
    runId: message.runId,
    status: message.status,
    text: message.text,
    attachedFileIds: message.fileIds === null ? null : [...message.fileIds],
    createdAt: new Date(message.createdAt).toISOString(),
    mode: message.mode,
  };
}

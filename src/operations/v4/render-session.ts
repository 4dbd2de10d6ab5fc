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
    workspaceId: session.workspace_id,
    latestRunId: run.id,
    task: run.task,
    title: session.title,
    status: shownStatus(rules, 'v4', run.status),
    inboxEmail: session.inbox_email,
    createdAt: new Date(session.created_at).toISOString(),
    updatedAt: new Date(session.updated_at).toISOString(),
  };
}

/** Renders a message (companion 7.8). */
export function renderMessage(message: WithFiles<MessageRow>): Schemas['QueuedMessage'] {
  return {
    id: message.id,
    sessionId: message.session_id,
    runId: message.run_id,
    status: message.status,
    text: message.text,
    attachedFileIds: message.fileIds === null ? null : [...message.fileIds],
    createdAt: new Date(message.created_at).toISOString(),
    mode: message.mode,
  };
}

import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { CuttingMessage, MessageRow } from '#store/queue.ts';
import type { SessionRow } from '#store/sessions.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { renderMessage } from './render-session.ts';
import { type WithFiles, messagesWithFiles } from './with-files.ts';

interface Found {
  readonly waiting: readonly WithFiles<MessageRow>[];
  /** Those that have interrupted a run, whatever became of them. */
  readonly cutting: readonly CuttingMessage[];
}

/** GET /sessions/{session_id}/queue (companion 7.1). */
export const listMessages: Operation<Caller, SessionRow, Found> = {
  decide: findSessionOr404,
  apply: async (session, caller) => ({
    waiting: await messagesWithFiles(await caller.engine.pendingMessages(session), caller),
    cutting: await caller.engine.cuttingMessages(session),
  }),
  render: ({ waiting, cutting }) => ({
    status: 200,
    body: {
      queue: waiting.map(renderMessage),
      steeringCutoffs: cutting.map(({ cut_run_id: sourceRunId, created_at: createdAt }) => ({
        sourceRunId,
        createdAt: new Date(createdAt).toISOString(),
      })),
    },
  }),
};

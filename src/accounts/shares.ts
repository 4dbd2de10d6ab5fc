/*
 * Public shares of sessions: an unguessable URL for each shared session, with a counter of views. The V2 operations
 * create and remove them, and the page behind the URL reads them. A share ends when its session is deleted. This module
 * must not know how a page looks.
 */

import type { Clock } from '#lib/clock.ts';
import { type AccessTokens, tokenHash } from '#lib/vault.ts';
import { latestRunsIn, latestRunSteps } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { countShareView, createShare, deleteShare, findShare, type ShareRow } from '#store/queries/shares.ts';
import type { RunOfSession, StepRow } from '#store/tables/runs.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { Executor } from '#store/executor.ts';
import type { Database } from '#store/database.ts';

/** Content of a share: a session and its latest tasks, oldest first, each with its latest steps. */
export interface Shared {
  readonly session: SessionRow;
  /** Whether the session has earlier tasks, which are left out. */
  readonly isCut: boolean;
  readonly tasks: readonly (RunOfSession & { readonly steps: readonly StepRow[] })[];
}

/** Shares of sessions. Callers check first that the session belongs to the project. */
export interface Shares {
  find(sessionId: string): Promise<ShareRow | null>;
  /** Shares a session, or returns its existing share; null when the session was deleted in the meantime. */
  create(sessionId: string): Promise<ShareRow | null>;
  /** Removes a share; returns false when the session has none. */
  remove(sessionId: string): Promise<boolean>;
  /** Returns the content of a share and counts one view; null for an unknown token, such as that of a removed share. */
  view(token: string): Promise<Shared | null>;
}

/** Dependencies of shares. */
export interface ShareDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly tokens: Pick<AccessTokens, 'make'>;
}

/** Creates the management of the shares in a database. */
export function createShares({ db, clock, tokens }: ShareDeps): Shares {
  return {
    find: (sessionId) => findShare(db, sessionId),
    create: (sessionId) =>
      createShare(db, { sessionId, makeToken: () => tokens.make(sessionId, ['share']), nowMs: clock.now() }),
    remove: (sessionId) => deleteShare(db, sessionId),
    async view(token) {
      const sessionId = await countShareView(db, tokenHash(token), clock.now());
      return sessionId === null ? null : shownBy(db, sessionId);
    },
  };
}

/** Maximum number of tasks and of all their steps in a share; the latest are shown. */
const tasksMax = 20;
const sharedStepsMax = 1_000;

async function shownBy(db: Executor, sessionId: string): Promise<Shared> {
  const session = await sessionById(db, sessionId);
  const runs = await latestRunsIn(db, session, tasksMax + 1);
  const shown = runs.slice(-tasksMax);
  const stepsMax = Math.floor(sharedStepsMax / Math.max(1, shown.length));
  const tasks: Shared['tasks'][number][] = [];
  for (const found of shown) tasks.push({ ...found, steps: await latestRunSteps(db, found.run.id, stepsMax) });
  return { session, isCut: runs.length > shown.length, tasks };
}

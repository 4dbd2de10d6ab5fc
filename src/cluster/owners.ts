import type { Logger } from 'pino';
import { findLeastLoadedWorker, findOwner, isWorkerAlive, noOwner, type OwnerColumns } from '#store/queries/workers.ts';
import { type Answer, type OwnerRequests, silent } from './owner-requests.ts';
import { type Command, isSessionCommand } from './worker-bus.ts';
import type { Executor } from '#store/executor.ts';
import type { Database } from '#store/database.ts';

/** Ownership of sessions and browsers, and the routing of commands to their owners. */
export interface Owners {
  /** Id of this process; null for a single process, which owns everything. */
  readonly self: string | null;
  /** Returns owner columns that name this process; in a single process, the columns of an unowned row. */
  own(): OwnerColumns;
  /**
   * Returns the owner columns for a new row: those of the least loaded worker; no owner in a single process or without
   * a worker.
   */
  next(): Promise<OwnerColumns>;
  /** Returns whether another process owns the row. */
  isElsewhere(row: Pick<OwnerColumns, 'owner'>): boolean;
  /**
   * Runs a command at its owner, or here when this process or no process owns the row. Resolves when the command is
   * done. When the owner dies, waits until the row is reclaimed and tries again. Rejects with the owner's error, and
   * with Unavailable after a minute without a response.
   */
  perform(command: Command, here: () => Promise<Answer>): Promise<Answer>;
  /**
   * Sends a command to the owner without waiting for its execution; calls `here` when this process is the owner or the
   * only process. Does nothing for an unowned row: workers find such rows and lost notifications by themselves.
   */
  tell(command: Command, here: () => void): Promise<void>;
}

/** Owners of a single process: everything runs here. */
export const singleProcessOwners: Owners = {
  self: null,
  own: () => noOwner,
  next: async () => noOwner,
  isElsewhere: () => false,
  perform: (_command, here) => here(),
  tell: async (_command, here) => here(),
};

/** Dependencies of {@link createOwners}. */
export interface OwnerDeps {
  readonly db: Database;
  readonly asking: OwnerRequests;
  /** Id of this process. */
  readonly self: string;
  /** Returns the public URL of this process. Read on each use, because a free port is known only after listening. */
  readonly url: () => string;
  readonly log: Logger;
}

/** Timeout of a command, in milliseconds; a dead worker loses ownership long before. */
const performMs = 60_000;

/** Creates the owners of a service of several processes. */
export function createOwners({ db, asking, self, url, log }: OwnerDeps): Owners {
  let turn = 0;
  return {
    self,
    own: () => ({ owner: self, ownerUrl: url() }),
    next: () => findLeastLoadedWorker(db, turn++),
    isElsewhere: ({ owner }) => owner !== null && owner !== self,
    async perform(command, here) {
      const until = performance.now() + performMs;
      for (;;) {
        const owner = await locateOwner(db, command);
        if (owner === null || owner === self) return here();
        const answer = await asking.ask(owner, command);
        // The owner died: its rows are reclaimed, and then another process or this one does the work.
        if (answer !== null) return answer;
        if (performance.now() > until) throw silent(`no process could be found that executes ${command.op}`);
      }
    },
    async tell(command, here) {
      const owner = await locateOwner(db, command);
      if (owner === self) return here();
      if (owner === null) return;
      try {
        await asking.tell(owner, command);
      } catch (error) {
        // The row holds the same information: the owner, or its successor, finds it there.
        log.warn({ worker: owner, op: command.op, err: error }, 'a worker could not be told');
      }
    },
  };
}

async function locateOwner(db: Executor, command: Command): Promise<string | null> {
  const row = await (isSessionCommand(command)
    ? findOwner(db, 'sessions', command.sessionId)
    : findOwner(db, 'browsers', command.browserId));
  if (row === null || row.owner === null || row.isLiving) return row?.owner ?? null;
  // Rows of active resources are reclaimed from a dead owner; the caller waits for that. Ended rows keep their owner.
  return (await isWorkerAlive(db, row.owner)) ? row.owner : null;
}

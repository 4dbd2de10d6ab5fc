import type { Logger } from 'pino';
import type { Database } from '#store/database.ts';
import { findLeastLoadedWorker, isWorkerAlive, noOwner, type OwnerColumns } from '#store/queries/workers.ts';
import { type Answer, type OwnerRequests, silent } from './owner-requests.ts';
import { type Command, isSessionCommand } from './worker-bus.ts';

/** Who works on what among the processes of one service. */
export interface Owners {
  /** This process among others; null where it is the only one, and everything is its own. */
  readonly self: string | null;
  /** The columns of what this process takes. */
  own(): OwnerColumns;
  /** The columns of something new: whoever is to own it. */
  next(): Promise<OwnerColumns>;
  /** Whether somebody else owns it. */
  isElsewhere(row: Pick<OwnerColumns, 'owner'>): boolean;
  /**
   * Has it done by its owner, and here where that is this process or nobody. Settles when it is done. An owner that dies meanwhile is
   * waited for until it owns nothing. Rejects with what the owner met, and with Unavailable after a minute without an answer.
   */
  perform(command: Command, here: () => Promise<Answer>): Promise<Answer>;
  /**
   * Tells the owner, who does it when it hears of it. Here where that is this process. What nobody owns is found by the workers themselves,
   * and so is what an owner was never told.
   */
  tell(command: Command, here: () => void): Promise<void>;
}

/** The only process of its service. */
export const alone: Owners = {
  self: null,
  own: () => noOwner,
  next: async () => noOwner,
  isElsewhere: () => false,
  perform: (_command, here) => here(),
  tell: async (_command, here) => here(),
};

/** Everything that owners work with. */
export interface OwnerDeps {
  readonly db: Database;
  readonly asking: OwnerRequests;
  /** This process. */
  readonly self: string;
  /** Where clients reach it; asked for on each use, because a free port is known only after listening. */
  readonly url: () => string;
  readonly log: Logger;
}

/** As long as somebody waits: a dead worker owns nothing any more long before. */
const performMs = 60_000;

/** The owners of a service of several processes. */
export function createOwners({ db, asking, self, url, log }: OwnerDeps): Owners {
  let turn = 0;
  return {
    self,
    own: () => ({ owner: self, owner_url: url() }),
    next: () => findLeastLoadedWorker(db, turn++),
    isElsewhere: ({ owner }) => owner !== null && owner !== self,
    async perform(command, here) {
      const until = performance.now() + performMs;
      for (;;) {
        const owner = await ownerOf(db, command);
        if (owner === null || owner === self) return here();
        const answer = await asking.ask(owner, command);
        // It died: whoever finds that out frees what it owned, and then it is done by somebody else, or here.
        if (answer !== null) return answer;
        if (performance.now() > until) throw silent(`nobody could be found who does ${command.op}`);
      }
    },
    async tell(command, here) {
      const owner = await ownerOf(db, command);
      if (owner === self) return here();
      if (owner === null) return;
      try {
        await asking.tell(owner, command);
      } catch (error) {
        // What it is told stands in the row too: it finds it there, or whoever gets the row after it.
        log.warn({ worker: owner, op: command.op, err: error }, 'a worker could not be told');
      }
    },
  };
}

async function ownerOf(db: Database, command: Command): Promise<string | null> {
  const row = isSessionCommand(command)
    ? await db.selectFrom('sessions').select(['owner', 'status']).where('id', '=', command.sessionId).executeTakeFirst()
    : await db
        .selectFrom('browsers')
        .select(['owner', 'status'])
        .where('id', '=', command.browserId)
        .executeTakeFirst();
  const owner = row?.owner ?? null;
  // What lives is taken from a dead owner, which is waited for; what has ended stays its own, and nobody waits for that.
  if (row === undefined || owner === null || living.has(row.status)) return owner;
  return (await isWorkerAlive(db, owner)) ? owner : null;
}

const living: ReadonlySet<string> = new Set(['created', 'idle', 'running', 'active']);

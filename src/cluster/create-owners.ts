import type { Logger } from 'pino';
import type { Database } from '#store/database.ts';
import { idlestWorker, livesStill } from '#store/queries/workers.ts';
import { type Command, isSessionCommand } from './command.ts';
import { type Asking, silent } from './create-asking.ts';
import type { Owners } from './owners.ts';

/** Everything that owners work with. */
export interface OwnerParts {
  readonly db: Database;
  readonly asking: Asking;
  /** This process. */
  readonly self: string;
  /** Where clients reach it; asked for on each use, because a free port is known only after listening. */
  readonly url: () => string;
  readonly log: Logger;
}

/** As long as somebody waits: a dead worker owns nothing any more long before. */
const performMs = 60_000;

/** The owners of a service of several processes. */
export function createOwners({ db, asking, self, url, log }: OwnerParts): Owners {
  let turn = 0;
  return {
    self,
    own: () => ({ owner: self, owner_url: url() }),
    next: () => idlestWorker(db, turn++),
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
  return (await livesStill(db, owner)) ? owner : null;
}

const living: ReadonlySet<string> = new Set(['created', 'idle', 'running', 'active']);

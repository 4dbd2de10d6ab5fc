import type { Logger } from 'pino';
import type { Database } from '#store/database.ts';
import type { WorkerRole } from '#store/schema.ts';
import {
  sendHeartbeat,
  reclaimPredecessors,
  reclaimWorker,
  reclaimWorkers,
  drainWorker,
  forgetWorkers,
  livingWorkers,
  registerWorker,
} from '#store/queries/workers.ts';
import type { WorkerBus } from './worker-bus.ts';
import type { OwnerRequests } from './owner-requests.ts';

/** How a process shows that it lives, and for how long it may not. */
export interface Pulse {
  readonly everyMs: number;
  /** Silence after which a process counts as dead, in milliseconds. */
  readonly silentMs: number;
}

/** Everything that a membership works with. */
export interface MembershipDeps {
  readonly db: Database;
  readonly asking: Pick<OwnerRequests, 'living'>;
  readonly bus: Pick<WorkerBus, 'forget'>;
  /** This process. */
  readonly self: string;
  readonly role: WorkerRole;
  readonly pulse: Pulse;
  readonly log: Logger;
  /** What this process does at each beat; only one that runs sandboxes has something to do. */
  readonly lookAfter: () => Promise<void>;
  /** Clears up after a process that is dead; to be done again is without effect. */
  readonly bury: (owner: string) => Promise<void>;
  /** The others took this process for dead, and it owns nothing any more: it has to end at once. */
  readonly onBuried: () => void;
}

/** A process among those of its service. */
export interface Membership {
  /** Is known to the others from now on, under the address where clients reach it. */
  join(url: string): Promise<void>;
  /** Is given nothing new from now on. */
  drain(): Promise<void>;
  /** Is forgotten; what it still owned is free. */
  leave(): Promise<void>;
}

/** As long as it can take from choosing an owner until that is written, and longer. */
const buriedForMs = 60_000;

/** Creates the membership of a process that is not registered yet. */
export function createMembership(deps: MembershipDeps): Membership {
  const { db, self, role, pulse, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let turn = Promise.resolve();
  let heard = 0;
  const known = new Set<string>();
  const takeTurn = async (): Promise<void> => {
    try {
      if (!(await sendHeartbeat(db, self))) {
        clearInterval(timer);
        return deps.onBuried();
      }
      heard += 1;
      await look(deps, known, heard * pulse.everyMs > pulse.silentMs);
    } catch (error) {
      // After an outage of the database every process seems silent; that must not count as death.
      heard = 0;
      log.error({ err: error }, 'the other processes could not be looked after; the next turn tries again');
    }
  };
  return {
    async join(url) {
      await registerWorker(db, { id: self, role, url });
      await reclaimPredecessors(db, { id: self, role, url });
      await takeTurn();
      timer = setInterval(() => {
        turn = turn.then(takeTurn);
      }, pulse.everyMs);
    },
    drain: () => drainWorker(db, self),
    async leave() {
      clearInterval(timer);
      await turn;
      await reclaimWorker(db, self);
      await deps.bury(self);
    },
  };
}

/** `known` are the dead that this process has met before. */
async function look(deps: MembershipDeps, known: Set<string>, mayBury: boolean): Promise<void> {
  const { db, log, asking, pulse } = deps;
  const dead = await reclaimWorkers(db, mayBury ? pulse.silentMs : null);
  for (const { id, is_draining: hasLeft } of dead) {
    // Another process may have assigned work to it at its end, so it is reclaimed until that is impossible.
    await deps.bury(id);
    if (known.has(id)) continue;
    known.add(id);
    if (hasLeft === 0) log.warn({ worker: id }, 'a process is dead: what it did is cleared up');
    await deps.bus.forget(id);
  }
  for (const id of known) if (!dead.some((one) => one.id === id)) known.delete(id);
  await forgetWorkers(db, buriedForMs);
  asking.living(new Set((await livingWorkers(db)).map(({ id }) => id)));
  await deps.lookAfter();
}

import type { Logger } from 'pino';
import type { WorkerRole } from '#store/tables/workers.ts';
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
import type { Database } from '#store/database.ts';

/** Heartbeat interval and timeout of a process. */
export interface Pulse {
  readonly everyMs: number;
  /** Time without a heartbeat after which a process counts as dead, in milliseconds. */
  readonly silentMs: number;
}

/** Dependencies of a membership. */
export interface MembershipDeps {
  readonly db: Database;
  readonly asking: Pick<OwnerRequests, 'living'>;
  readonly bus: Pick<WorkerBus, 'forget'>;
  /** Id of this process. */
  readonly self: string;
  readonly role: WorkerRole;
  readonly pulse: Pulse;
  readonly log: Logger;
  /** Work of this process at each heartbeat; only processes that run sandboxes have some. */
  readonly lookAfter: () => Promise<void>;
  /** Reclaims the resources of a dead process. Idempotent. */
  readonly reclaim: (owner: string) => Promise<void>;
  /** Called when other processes have declared this process dead: it owns nothing any more and must exit. */
  readonly onReclaimed: () => void;
}

/** Membership of this process in its service. */
export interface Membership {
  /** Registers this process with the URL under which clients reach it. */
  join(url: string): Promise<void>;
  /** Excludes this process from new work. */
  drain(): Promise<void>;
  /** Removes the registration; resources that the process still owned become free. */
  leave(): Promise<void>;
}

/**
 * Period in which a dead process is reclaimed repeatedly: longer than the time between choosing an owner and storing
 * the choice.
 */
const reclaimedForMs = 60_000;

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
        return deps.onReclaimed();
      }
      heard += 1;
      await look(deps, known, heard * pulse.everyMs > pulse.silentMs);
    } catch (error) {
      // After a database outage the heartbeats of all processes are old. That must not count as death.
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
      await deps.reclaim(self);
    },
  };
}

/**
 * Checks the heartbeats of the other processes. `known` holds the dead processes that this process has already seen.
 */
async function look(deps: MembershipDeps, known: Set<string>, mayReclaim: boolean): Promise<void> {
  const { db, log, asking, pulse } = deps;
  const dead = await reclaimWorkers(db, mayReclaim ? pulse.silentMs : null);
  for (const { id, is_draining: hasLeft } of dead) {
    // Another process may have assigned work to the dead process at its end, so it is reclaimed until that is
    // impossible.
    await deps.reclaim(id);
    if (known.has(id)) continue;
    known.add(id);
    if (hasLeft === 0) log.warn({ worker: id }, 'a process is dead: what it did is cleared up');
    await deps.bus.forget(id);
  }
  for (const id of known) if (!dead.some((one) => one.id === id)) known.delete(id);
  await forgetWorkers(db, reclaimedForMs);
  asking.living(new Set((await livingWorkers(db)).map(({ id }) => id)));
  await deps.lookAfter();
}

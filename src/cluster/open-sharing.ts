import type { Logger } from 'pino';
import type { Drain } from './drain.ts';
import type { WorkerRole } from '#store/tables/workers.ts';
import { type Answer, type OwnerRequestDeps, type OwnerRequests, createOwnerRequests } from './owner-requests.ts';
import { type Owners, createOwners, singleProcessOwners } from './owners.ts';
import {
  type BrowserCommand,
  type Command,
  type SessionCommand,
  type WorkerBus,
  isSessionCommand,
} from './worker-bus.ts';
import type { Database } from '#store/database.ts';
import {
  drainWorker,
  forgetWorkers,
  livingWorkers,
  reclaimPredecessors,
  reclaimWorker,
  reclaimWorkers,
  registerWorker,
  sendHeartbeat,
} from '#store/queries/workers.ts';

/** Settings of a process in a service of several processes. */
export interface SharedService {
  readonly role: WorkerRole;
  /** Carries commands between processes. The code that opened the bus closes it. */
  readonly bus: WorkerBus;
  readonly pulse: Pulse;
  /** Runs the retention sweep unless another process is sweeping; returns whether it ran. */
  readonly sweepAlone: (sweep: () => Promise<void>) => Promise<boolean>;
  /** Called when other processes have declared this process dead: it must exit, and may start again under a new id. */
  readonly onReclaimed: () => void;
}

/** Dependencies of {@link openSharing}. */
interface SharingDeps extends Omit<OwnerRequestDeps, 'bus'> {
  readonly db: Database;
  /** Returns the URL under which clients reach this process; called for each use. */
  readonly url: () => string;
  readonly log: Logger;
}

/** Parts of this process that execute commands for resources that this process owns. */
interface Owning {
  readonly engine: Part<SessionCommand, void>;
  readonly browsers: Part<BrowserCommand, Answer>;
  /** The recordings, which are reclaimed after the sessions and browsers that they belong to. */
  readonly recordings: { reclaim(owner: string): Promise<void> };
}

interface Part<C, A> {
  handleCommand(command: C): Promise<A>;
  lookAfter(): Promise<void>;
  reclaim(owner: string): Promise<void>;
  close(): Promise<void>;
}

/** This process as a member of its service, or as the only process. */
export interface Sharing {
  readonly owners: Owners;
  /**
   * Returns the check that rejects new work during shutdown. With several processes it rejects nothing, because other
   * processes accept new work.
   */
  selectDrain(drain: Pick<Drain, 'findRefusal'>): Pick<Drain, 'findRefusal'>;
  /**
   * Starts the periodic checks. Among several processes, first starts to handle commands and registers this process
   * with its URL.
   */
  join(owning: Owning, url: string): Promise<void>;
  /** Excludes this process from new work; does nothing in a single process. */
  drain(): Promise<void>;
  /**
   * Ends the periodic checks. Among several processes, also removes the registration; resources that the process still
   * owned become free.
   */
  leave(): Promise<void>;
}

/**
 * Creates the membership of this process in its service under a new id; `join` registers the process. Without `shared`,
 * the service consists of this process alone.
 */
export function openSharing(shared: SharedService | undefined, deps: SharingDeps): Sharing {
  if (shared === undefined) return createLoneSharing(deps);
  const self = deps.newId();
  const asking = createOwnerRequests({ ...deps, bus: shared.bus }, self);
  let membership: Membership | null = null;
  return {
    owners: createOwners({ ...deps, asking, self }),
    selectDrain: () => ({ findRefusal: () => null }),
    async join(owning, url) {
      await asking.handleCommands((command) => handleCommand(owning, command));
      membership = createMembership({ ...deps, ...shared, ...duties(shared, owning), asking, self });
      await membership.join(url);
    },
    drain: async () => membership?.drain(),
    async leave() {
      asking.leave();
      await membership?.leave();
    },
  };
}

/** Interval at which a single process checks the resources that it owns, in milliseconds. */
const aloneEveryMs = 5_000;

/** Creates the {@link Sharing} of a single process, which sends no messages and owns everything. */
function createLoneSharing({ log }: Pick<SharingDeps, 'log'>): Sharing {
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> | null = null;
  const takeTurn = async ({ engine, browsers }: Owning): Promise<void> => {
    try {
      await engine.lookAfter();
      await browsers.lookAfter();
    } catch (error) {
      log.error(
        { err: error },
        'the sessions and browsers of this process were not checked; the next check follows in a few seconds',
      );
    }
  };
  return {
    owners: singleProcessOwners,
    selectDrain: (drain) => drain,
    async join(owning) {
      timer = setInterval(() => {
        turn ??= takeTurn(owning).finally(() => (turn = null));
      }, aloneEveryMs);
    },
    drain: async () => undefined,
    async leave() {
      clearInterval(timer);
      await turn;
    },
  };
}

async function handleCommand({ engine, browsers }: Owning, command: Command): Promise<Answer> {
  if (!isSessionCommand(command)) return browsers.handleCommand(command);
  await engine.handleCommand(command);
  return {};
}

type Duties = Pick<MembershipDeps, 'lookAfter' | 'reclaim' | 'onReclaimed'>;

function duties({ role, onReclaimed }: SharedService, { engine, browsers, recordings }: Owning): Duties {
  return {
    async lookAfter() {
      if (role === 'api') return;
      await engine.lookAfter();
      await browsers.lookAfter();
    },
    async reclaim(owner) {
      await engine.reclaim(owner);
      await browsers.reclaim(owner);
      await recordings.reclaim(owner);
    },
    onReclaimed() {
      // The process owns nothing any more: all its work ends, and failures of closing are ignored.
      void Promise.allSettled([browsers.close(), engine.close()]);
      onReclaimed();
    },
  };
}

/** Heartbeat interval and timeout of a process. */
interface Pulse {
  readonly everyMs: number;
  /** Time without a heartbeat after which a process counts as dead, in milliseconds. */
  readonly silentMs: number;
}

/** Dependencies of a membership. */
interface MembershipDeps {
  readonly db: Database;
  readonly asking: Pick<OwnerRequests, 'living'>;
  readonly bus: Pick<WorkerBus, 'forget'>;
  /** Id of this process. */
  readonly self: string;
  readonly role: WorkerRole;
  readonly pulse: Pulse;
  readonly log: Logger;
  /**
   * Checks the resources that this process owns; called after a heartbeat, unless the previous check still runs. Does
   * nothing in a process of the role `api`.
   */
  readonly lookAfter: () => Promise<void>;
  /** Reclaims the resources of a dead process. Idempotent. */
  readonly reclaim: (owner: string) => Promise<void>;
  /** Called when other processes have declared this process dead: it owns nothing any more and must exit. */
  readonly onReclaimed: () => void;
}

/** Membership of this process in its service. */
interface Membership {
  /** Registers this process with the URL under which clients reach it. */
  join(url: string): Promise<void>;
  /** Excludes this process from new work. */
  drain(): Promise<void>;
  /** Removes the registration; resources that the process still owned become free. */
  leave(): Promise<void>;
}

/**
 * Time for which each heartbeat reclaims the resources of a dead process again, in milliseconds. It is longer than the
 * time between choosing an owner and storing the choice.
 */
const reclaimedForMs = 60_000;

/** Creates the membership of a process that is not registered yet. */
function createMembership(deps: MembershipDeps): Membership {
  const { db, self, role, pulse, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let turn = Promise.resolve();
  let looking: Promise<void> | null = null;
  let heard = 0;
  const known = new Set<string>();
  const failed = (error: unknown): void => {
    // After a database outage the heartbeats of all processes are old. That must not count as death.
    heard = 0;
    log.error({ err: error }, 'the other processes were not checked; the next check follows in a few seconds');
  };
  const takeTurn = async (): Promise<void> => {
    try {
      if (!(await sendHeartbeat(db, self))) {
        clearInterval(timer);
        return deps.onReclaimed();
      }
    } catch (error) {
      return failed(error);
    }
    heard += 1;
    // Not awaited: a long check must not delay the heartbeat, or other processes would declare this process dead.
    looking ??= look(deps, known, heard * pulse.everyMs > pulse.silentMs)
      .catch(failed)
      .finally(() => (looking = null));
  };
  return {
    async join(url) {
      await registerWorker(db, { id: self, role, url });
      await reclaimPredecessors(db, { id: self, role, url });
      await takeTurn();
      await looking;
      timer = setInterval(() => {
        turn = turn.then(takeTurn);
      }, pulse.everyMs);
    },
    drain: () => drainWorker(db, self),
    async leave() {
      clearInterval(timer);
      await turn;
      await looking;
      await reclaimWorker(db, self);
      await deps.reclaim(self);
    },
  };
}

/**
 * Reclaims the resources of dead processes, ends pending requests to these processes, and then checks the resources of
 * this process. `known` holds the dead processes that were already reported. Without `mayReclaim`, no silent process is
 * declared dead.
 */
async function look(deps: MembershipDeps, known: Set<string>, mayReclaim: boolean): Promise<void> {
  const { db, log, asking, pulse } = deps;
  const dead = await reclaimWorkers(db, mayReclaim ? pulse.silentMs : null);
  for (const { id, isDraining: hasLeft } of dead) {
    // Another process may still have assigned work to the dead process. So its resources are reclaimed repeatedly, for
    // `reclaimedForMs`.
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

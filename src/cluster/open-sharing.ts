import type { Logger } from 'pino';
import type { Drain } from './drain.ts';
import type { WorkerRole } from '#store/tables/workers.ts';
import { type Answer, type OwnerRequestDeps, createOwnerRequests } from './owner-requests.ts';
import { type Membership, type MembershipDeps, type Pulse, createMembership } from './create-membership.ts';
import { singleProcessOwners, createOwners, type Owners } from './owners.ts';
import {
  type BrowserCommand,
  type Command,
  isSessionCommand,
  type SessionCommand,
  type WorkerBus,
} from './worker-bus.ts';
import type { Database } from '#store/database.ts';

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
export interface SharingDeps extends Omit<OwnerRequestDeps, 'bus'> {
  readonly db: Database;
  /** Returns the URL under which clients reach this process. Read on each use. */
  readonly url: () => string;
  readonly log: Logger;
}

/** Parts of this process that execute commands for resources that it owns. */
export interface Owning {
  readonly engine: Part<SessionCommand, void>;
  readonly browsers: Part<BrowserCommand, Answer>;
  /** Called after the other reclaim steps, when the end of each recording is known. */
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
  /** Starts to handle commands, and registers this process with its URL. */
  join(owning: Owning, url: string): Promise<void>;
  /** Excludes this process from new work. */
  drain(): Promise<void>;
  /** Removes the registration; resources that the process still owned become free. */
  leave(): Promise<void>;
}

/**
 * Opens the sharing of a process with a unique id, not registered until it joins; without `shared`, the sharing of a
 * single process.
 */
export function openSharing(shared: SharedService | undefined, deps: SharingDeps): Sharing {
  if (shared === undefined) return sharingOfOne(deps);
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

/** Creates the sharing of a single process, which sends no messages and owns everything. */
function sharingOfOne({ log }: Pick<SharingDeps, 'log'>): Sharing {
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> | null = null;
  const takeTurn = async ({ engine, browsers }: Owning): Promise<void> => {
    try {
      await engine.lookAfter();
      await browsers.lookAfter();
    } catch (error) {
      log.error({ err: error }, 'what this process owns could not be looked after; the next turn tries again');
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
      // The process owns nothing any more: all its work ends, and failures end with it.
      void Promise.allSettled([browsers.close(), engine.close()]);
      onReclaimed();
    },
  };
}

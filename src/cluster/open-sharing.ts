import type { Logger } from 'pino';
import type { Drain } from './drain.ts';
import type { Database } from '#store/database.ts';
import type { WorkerRole } from '#store/schema.ts';
import { type Answer, type AskingDeps, createOwnerRequests } from './owner-requests.ts';
import { type Membership, type MembershipDeps, type Pulse, createMembership } from './create-membership.ts';
import { alone, createOwners, type Owners } from './owners.ts';
import {
  type BrowserCommand,
  type Command,
  isSessionCommand,
  type SessionCommand,
  type WorkerBus,
} from './worker-bus.ts';

/** Settings of a process among several. */
export interface SharedService {
  readonly role: WorkerRole;
  /** Carries commands between processes; its opener closes it. */
  readonly bus: WorkerBus;
  readonly pulse: Pulse;
  /** Sweeps unless another process is at it; answers whether it did. */
  readonly sweepAlone: (sweep: () => Promise<void>) => Promise<boolean>;
  /** The others took this process for dead: it must end at once, and may start again under another name. */
  readonly onBuried: () => void;
}

/** Everything that sharing works with. */
export interface SharingDeps extends Omit<AskingDeps, 'bus'> {
  readonly db: Database;
  /** Where clients reach this process; asked for on each use. */
  readonly url: () => string;
  readonly log: Logger;
}

/** What there is in this process that only an owner can do. */
export interface Owning {
  readonly engine: Part<SessionCommand, void>;
  readonly browsers: Part<BrowserCommand, Answer>;
  /** Clears up after the others have: what has ended is known then. */
  readonly recordings: { bury(owner: string): Promise<void> };
}

interface Part<C, A> {
  obey(command: C): Promise<A>;
  lookAfter(): Promise<void>;
  bury(owner: string): Promise<void>;
  close(): Promise<void>;
}

/** This process among those of its service, or as the only one. */
export interface Sharing {
  readonly owners: Owners;
  /**
   * Returns what rejects new work during shutdown; with several processes nothing does, because other processes accept
   * it.
   */
  drainOf(drain: Pick<Drain, 'refusalOf'>): Pick<Drain, 'refusalOf'>;
  /** Hears the others from now on, and is known to them under an address. */
  join(owning: Owning, url: string): Promise<void>;
  /** Is given nothing new from now on. */
  drain(): Promise<void>;
  /** Is forgotten; what it still owned is free. */
  leave(): Promise<void>;
}

/** Creates a uniquely named process among others, unregistered until it joins, or the single process. */
export function openSharing(shared: SharedService | undefined, deps: SharingDeps): Sharing {
  if (shared === undefined) return sharingOfOne(deps);
  const self = deps.newId();
  const asking = createOwnerRequests({ ...deps, bus: shared.bus }, self);
  let membership: Membership | null = null;
  return {
    owners: createOwners({ ...deps, asking, self }),
    drainOf: () => ({ refusalOf: () => null }),
    async join(owning, url) {
      await asking.obey((command) => obey(owning, command));
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

/** How often the only process of a service looks after what it owns, in milliseconds. */
const aloneEveryMs = 5_000;

/** Sharing of a single process, which needs no messages and owns everything. */
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
    owners: alone,
    drainOf: (drain) => drain,
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

async function obey({ engine, browsers }: Owning, command: Command): Promise<Answer> {
  if (!isSessionCommand(command)) return browsers.obey(command);
  await engine.obey(command);
  return {};
}

type Duties = Pick<MembershipDeps, 'lookAfter' | 'bury' | 'onBuried'>;

function duties({ role, onBuried }: SharedService, { engine, browsers, recordings }: Owning): Duties {
  return {
    async lookAfter() {
      if (role === 'api') return;
      await engine.lookAfter();
      await browsers.lookAfter();
    },
    async bury(owner) {
      await engine.bury(owner);
      await browsers.bury(owner);
      await recordings.bury(owner);
    },
    onBuried() {
      // It owns nothing any more: all its work ends, and failures end with it.
      void Promise.allSettled([browsers.close(), engine.close()]);
      onBuried();
    },
  };
}

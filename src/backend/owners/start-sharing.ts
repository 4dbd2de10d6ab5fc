import type { Logger } from 'pino';
import type { Database } from '../storage/database.ts';
import type { WorkerRole } from '../storage/schema.ts';
import { type AskingParts, createAsking } from './create-asking.ts';
import { type Membership, type Pulse, createMembership } from './create-membership.ts';
import { createOwners } from './create-owners.ts';
import type { Answer, Owners } from './owners.ts';
import { type BrowserCommand, type Command, type SessionCommand, isSessionCommand } from './command.ts';
import type { WorkerBus } from './worker-bus.ts';

/** What a process is told that is one of several. */
export interface SharedService {
  readonly role: WorkerRole;
  /** Carries commands between the processes; whoever opened it closes it. */
  readonly bus: WorkerBus;
  readonly pulse: Pulse;
  /** The others took this process for dead: it must end at once, and may start again under another name. */
  readonly onBuried: () => void;
}

/** Everything that sharing works with. */
export interface SharingParts extends Omit<AskingParts, 'bus'> {
  readonly db: Database;
  /** Where clients reach this process; asked for on each use. */
  readonly url: () => string;
  readonly log: Logger;
}

/** What there is in this process that only an owner can do. */
export interface Owning {
  readonly engine: Part<SessionCommand, void>;
  readonly browsers: Part<BrowserCommand, Answer>;
  /** The others took this process for dead: it must stop everything at once. */
  readonly onBuried: () => void;
}

interface Part<C, A> {
  obey(command: C): Promise<A>;
  lookAfter(): Promise<void>;
  bury(owner: string): Promise<void>;
}

/** A process among others, before and after it is known to them. */
export interface Sharing {
  readonly owners: Owners;
  /** Hears the others from now on, and joins them under an address. */
  join(owning: Owning, url: string): Promise<Membership>;
}

/** A process with a name of its own among those of its service; nobody knows of it before it joins. */
export function startSharing(shared: SharedService, parts: SharingParts): Sharing {
  const self = parts.newId();
  const asking = createAsking({ ...parts, bus: shared.bus }, self);
  return {
    owners: createOwners({ ...parts, asking, self }),
    async join(owning, url) {
      await asking.obey((command) => obey(owning, command));
      const membership = createMembership({
        ...parts,
        ...shared,
        ...duties(shared, owning),
        onBuried: owning.onBuried,
        asking,
        self,
      });
      await membership.join(url);
      return membership;
    },
  };
}

async function obey({ engine, browsers }: Owning, command: Command): Promise<Answer> {
  if (!isSessionCommand(command)) return browsers.obey(command);
  await engine.obey(command);
  return {};
}

function duties({ role }: SharedService, { engine, browsers }: Owning) {
  return {
    async lookAfter(): Promise<void> {
      if (role === 'api') return;
      await engine.lookAfter();
      await browsers.lookAfter();
    },
    async bury(owner: string): Promise<void> {
      await engine.bury(owner);
      await browsers.bury(owner);
    },
  };
}

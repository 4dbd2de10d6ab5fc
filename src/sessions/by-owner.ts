import type { SessionCommand } from '#cluster/index.ts';
import type { RunOfSession } from '#store/runs.ts';
import { type SessionRow, sessionById } from '#store/sessions.ts';
import { buryOwner } from './bury-owner.ts';
import { handOverIdle } from './hand-over.ts';
import { type Ending, endAsAsked, obey } from './obey.ts';
import type { EngineState } from './parts.ts';
import { createSweep } from './sweep.ts';

/** What of the engine is done by the owner of a session, wherever it is asked for, and what an owner does for others. */
export interface ByOwner {
  stop(session: SessionRow, strategy: 'session' | 'task'): Promise<SessionRow>;
  /** Stops one run of a session that lives on; without effect when it has ended. */
  stopRun(found: RunOfSession): Promise<SessionRow>;
  remove(session: SessionRow): Promise<void>;
  /** Erases everything about a session but its meters; a living one is stopped first. */
  purge(session: SessionRow): Promise<void>;
  /** Ends the sandbox of a living session as a failure would; for fault injection. */
  crash(sessionId: string): Promise<void>;
  /** Does what another process asks of the owner of a session, which is this one. */
  obey(command: SessionCommand): Promise<void>;
  /** What a process does again and again: see `createSweep` and `buryOwner`. */
  lookAfter(): Promise<void>;
  bury(owner: string): Promise<void>;
  /** Gives up every idle session, so that other workers can have them. */
  handOver(): Promise<void>;
}

/** Operations that are carried to the owner, which usually is this process; from now on it gives profiles back that others want. */
export function createByOwner(engine: EngineState): ByOwner {
  const perform = async (command: SessionCommand): Promise<void> => {
    await engine.owners.perform(command, async () => {
      await obey(engine, command);
      return {};
    });
  };
  const end = async (session: SessionRow, command: Ending): Promise<SessionRow> => {
    await engine.owners.perform(command, async () => {
      await endAsAsked(engine, command, session);
      return {};
    });
    return sessionById(engine.db, session.id);
  };
  const sweep = createSweep(engine);
  engine.browserProfiles.onWanted((sessionId) => perform({ op: 'yieldSession', sessionId }));
  return {
    stopRun: ({ run, session }) => end(session, { op: 'stopRun', sessionId: session.id, runId: run.id }),
    stop: (session, strategy) => end(session, { op: 'stop', sessionId: session.id, strategy }),
    purge: async (session) => void (await end(session, { op: 'purge', sessionId: session.id })),
    remove: async (session) => void (await end(session, { op: 'remove', sessionId: session.id })),
    crash: (sessionId) => perform({ op: 'crash', sessionId }),
    obey: (command) => obey(engine, command),
    lookAfter: () => sweep.run(),
    bury: (owner) => buryOwner(engine, owner),
    handOver: () => handOverIdle(engine),
  };
}

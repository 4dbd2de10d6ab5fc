import { sessionStatus } from '#generated/states.ts';
import { releaseModelCalls } from '#store/queries/model-calls.ts';
import {
  livingSessions,
  type SessionState,
  addTraffic,
  takeUnowned,
  workingSessions,
} from '#store/queries/owned-sessions.ts';
import { activeRun, hasRunEvent, runningRun } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { failSession } from './fail-session.ts';
import { executeRun } from './execute-run.ts';
import { giveUpSandbox } from './launch-browser.ts';
import { closeBill } from './meters.ts';
import type { EngineState } from './engine-deps.ts';
import { dispatchOwnSessions } from './queue.ts';
import { startDueSchedules } from './schedules/start-due.ts';
import { startSandbox } from './start-sandbox.ts';
import { finishPurges } from './stop-session.ts';
import { endStates } from '#contract/lifecycle.ts';
import { leasesOfEnded } from '#store/queries/profiles.ts';
import type { SessionRow } from '#store/tables/sessions.ts';

/**
 * Recovers all sessions of an earlier process, in a single-process service. A running task ends as crashed and is not
 * repeated. An idle session stays idle without a browser until its next follow-up. A created session starts and runs
 * its waiting task.
 */
export async function recover(engine: EngineState): Promise<void> {
  // Among several processes, living processes reclaim the sessions of a dead process.
  if (engine.owners.self !== null) return;
  const left = await livingSessions(engine.db);
  // The outcome of the model calls of that process is unknown. Their reservations end, and no call is repeated.
  await releaseModelCalls(engine.db, null);
  const endedAt = engine.clock.now() - engine.outageMs;
  for (const { id, status } of left) {
    await closeBill(engine, id, endedAt);
    const ended = { mayBegin: false, reason: 'the service ended while the task ran' };
    if (status !== sessionStatus.idle) await resumeSession(engine, { id, status }, ended);
  }
  await finishPurges(engine);
  engine.inBackground('go on with what waits', () => dispatchOwnSessions(engine));
  // Schedules that became due earlier start at once, because the first sweep runs only some seconds later.
  engine.inBackground('start what was due', () => startDueSchedules(engine));
  await engine.rearmInactivity();
}

/** Rules for resuming a session that no process works on. */
interface Resumption {
  /** Whether a task that has not had a browser yet may begin; otherwise it ends as crashed. */
  readonly mayBegin: boolean;
  /** Reason for ending a task that cannot be restarted. */
  readonly reason: string;
}

/** Returns whether this process is working on a created or running session that it owns. */
async function isAttended(engine: EngineState, { id, status }: SessionState): Promise<boolean> {
  if (status === sessionStatus.created) return engine.starting.has(id);
  const run = await activeRun(engine.db, id);
  return run !== undefined && engine.begun.has(run);
}

/**
 * Resumes a created or running session that its owner does not work on, or ends the session with a reason. A created
 * session starts; a start that throws gives the session up. A running task begins only if `mayBegin` is true and the
 * task had no browser yet. Otherwise the task ends as crashed, because it may have had effects.
 */
async function resumeSession(engine: EngineState, { id, status }: SessionState, how: Resumption): Promise<void> {
  if (status === sessionStatus.created) return engine.inBackground(`start ${id}`, () => startOrGiveUp(engine, id));
  const run = await runningRun(engine.db, id);
  if (run === undefined) return failSession(engine, id, { reason: how.reason, kind: 'crash' });
  if (engine.begun.has(run.id)) return;
  const end = (): Promise<void> => failSession(engine, id, { reason: how.reason, kind: 'crash', runId: run.id });
  if (!how.mayBegin || (await hasRunEvent(engine.db, run.id, 'browser.ready'))) return end();
  engine.inBackground(`run ${run.id}`, async () => {
    if ((await sessionById(engine.db, id)).status !== sessionStatus.running || engine.begun.has(run.id)) return;
    await executeRun(engine, id, run);
  });
}

async function startOrGiveUp(engine: EngineState, id: string): Promise<void> {
  try {
    await startSandbox(engine, id);
  } catch (error) {
    await giveUpSandbox(engine, id, 'the session could not be resumed');
    throw error;
  }
}

/**
 * Time in milliseconds for which a session must seem unattended before it counts as unattended, because its owner may
 * be about to start work or to receive its command.
 */
const suspectMs = 10_000;

/** Sessions that seemed unattended in consecutive sweeps. */
export interface Suspects {
  /**
   * Begins the observation of one sweep. The returned function records a session as unattended and returns whether the
   * session seemed unattended in every sweep for at least `suspectMs`.
   */
  look(): (id: string) => boolean;
}

/** Creates an empty set of suspects. It uses the monotonic clock, so that a clock change makes no session suspect. */
export function createSuspects(): Suspects {
  /** Time when each suspect was first observed, by id, in milliseconds of `performance.now()`. */
  let since = new Map<string, number>();
  return {
    look() {
      const before = since;
      since = new Map();
      return (id) => {
        const first = before.get(id) ?? performance.now();
        since.set(id, first);
        return performance.now() - first >= suspectMs;
      };
    },
  };
}

/** Maximum number of unowned sessions per sweep. The limit distributes the sessions over all workers. */
const takenAtOnce = 10;
/**
 * Rules for resuming: `lost` for a session that this process owns but does not work on, `died` for a session whose
 * owner died.
 */
const lost = { mayBegin: true, reason: 'the work on the task ended without a result' } as const;
const died = { mayBegin: true, reason: 'the service ended while the task ran' } as const;

/** Periodic search for acknowledged work that no process does. */
export interface Sweep {
  /** Runs all steps of one sweep. A step that fails is logged, and runs again in the next sweep. */
  run(): Promise<void>;
}

/**
 * Creates a sweep over the sessions of this process and over unowned sessions. It takes and resumes unowned sessions at
 * once. It resumes a session of this process only after the session has seemed unattended for some time by the
 * monotonic clock. A clock change or a change in progress thus resumes nothing.
 */
export function createSweep(engine: EngineState): Sweep {
  const suspects = createSuspects();
  return {
    async run() {
      const isConfirmed = suspects.look();
      for (const step of steps(engine, isConfirmed)) {
        if (engine.closing.aborted || engine.tasks.isFinishing) return;
        try {
          await step();
        } catch (error) {
          // A failed step must not prevent the following steps.
          engine.log.error({ err: error }, 'a part of the sweep failed; the next one tries again');
        }
      }
    },
  };
}

type Step = () => Promise<unknown>;

function steps(engine: EngineState, isConfirmed: (id: string) => boolean): readonly Step[] {
  const { browserProfiles, sandboxes } = engine;
  return [
    async () => each(engine, await takeOwnerless(engine), (session) => resumeSession(engine, session, died)),
    async () =>
      each(
        engine,
        (await unattended(engine)).filter(({ id }) => isConfirmed(id)),
        (session) => resumeSession(engine, session, lost),
      ),
    async () => each(engine, (await endedWithSandbox(engine)).filter(isConfirmed), (id) => sandboxes.close(id)),
    async () => each(engine, (await endedWithProfile(engine)).filter(isConfirmed), (id) => browserProfiles.release(id)),
    () => finishPurges(engine, isConfirmed),
    () => dispatchOwnSessions(engine),
    () => startDueSchedules(engine),
    async () => engine.owners.self !== null && bookSandboxTraffic(engine),
    () => engine.rearmInactivity(),
  ];
}

async function each<One>({ log }: EngineState, list: readonly One[], act: (one: One) => Promise<void>): Promise<void> {
  for (const one of list) {
    try {
      await act(one);
    } catch (error) {
      log.error(
        { err: error, found: typeof one === 'string' ? one : Object(one).id },
        'the sweep could not help; the next one tries again',
      );
    }
  }
}

/** Takes unowned sessions that wait for work; none in a single-process service. */
async function takeOwnerless({ db, owners }: EngineState): Promise<SessionRow[]> {
  return owners.self === null ? [] : takeUnowned(db, owners.own(), takenAtOnce);
}

/** Returns the created and running sessions of this process that the process does not work on. */
async function unattended(engine: EngineState): Promise<SessionRow[]> {
  const rows = await workingSessions(engine.db, engine.owners.self);
  const found: SessionRow[] = [];
  for (const row of rows) if (!(await isAttended(engine, row))) found.push(row);
  return found;
}

/** Returns the ids of ended sessions that still have a sandbox in this process. */
async function endedWithSandbox(engine: EngineState): Promise<string[]> {
  const ended = endStates(engine.rules.lifecycle);
  const found: string[] = [];
  for (const id of engine.sandboxes.ids())
    if (ended.includes((await sessionById(engine.db, id)).status)) found.push(id);
  return found;
}

/** Returns the ids of ended sessions of this process that have no browser but still hold a profile lock. */
async function endedWithProfile(engine: EngineState): Promise<string[]> {
  const holders = await leasesOfEnded(engine.db, endStates(engine.rules.lifecycle), engine.owners.self);
  return holders.filter((id) => engine.sandboxes.get(id) === undefined && !engine.sandboxes.isLeaving(id));
}

/**
 * Books the traffic of this process's browsers. Other processes then know the amount, and the end of this process does
 * not lose it.
 */
async function bookSandboxTraffic(engine: EngineState): Promise<void> {
  for (const id of engine.sandboxes.ids()) if (engine.sandboxes.unbookedBytes(id) > 0) await book(engine, id);
}

async function book({ db, sandboxes, owners }: EngineState, id: string): Promise<void> {
  const bytes = sandboxes.unbookedBytes(id);
  const isBooked = await addTraffic(db, id, { bytes, owner: owners.self });
  const sandbox = sandboxes.get(id);
  if (isBooked && sandbox !== undefined) sandbox.bookedBytes += bytes;
}

import { endStates } from '#contract/lifecycle.ts';
import { leasesOfEnded } from '#store/queries/profiles.ts';
import { createSuspects, isAttended, resumeSession } from './recover.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { addTraffic, takeUnowned, workingSessions } from '#store/queries/owned-sessions.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { EngineState } from './engine-deps.ts';
import { finishPurges } from './stop-session.ts';
import { dispatchOwnSessions } from './queue.ts';
import { startDueSchedules } from './schedules/start-due.ts';

/** Maximum number of unowned sessions per sweep. The limit distributes the sessions over all workers. */
const takenAtOnce = 10;
/** Failure of a task whose work ended without a result. */
const lost = { mayBegin: true, reason: 'the work on the task ended without a result' } as const;
const died = { mayBegin: true, reason: 'the service ended while the task ran' } as const;

/** Periodically finds acknowledged work without a worker. */
export interface Sweep {
  /** One sweep. What it fails to do is done by the next. */
  run(): Promise<void>;
}

/**
 * Creates a sweep over the sessions of this process and unowned ones. A session is resumed only after it has seemed
 * unattended for a while by the monotonic clock, so a clock change or a change in progress does not resume it.
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
          // One that cannot be helped must not keep the others from it.
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
    async () => engine.owners.self !== null && bookTrafficOf(engine),
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

/** Returns the created and running sessions of this process that it does not work on. */
async function unattended(engine: EngineState): Promise<SessionRow[]> {
  const rows = await workingSessions(engine.db, engine.owners.self);
  const found: SessionRow[] = [];
  for (const row of rows) if (!(await isAttended(engine, row))) found.push(row);
  return found;
}

/** Returns ended sessions that still have a sandbox in this process. */
async function endedWithSandbox(engine: EngineState): Promise<string[]> {
  const ended = endStates(engine.rules.lifecycle);
  const found: string[] = [];
  for (const id of engine.sandboxes.ids())
    if (ended.includes((await sessionById(engine.db, id)).status)) found.push(id);
  return found;
}

/** Returns ended sessions of this process without a browser that still hold a profile lock. */
async function endedWithProfile(engine: EngineState): Promise<string[]> {
  const holders = await leasesOfEnded(engine.db, endStates(engine.rules.lifecycle), engine.owners.self);
  return holders.filter((id) => engine.sandboxes.get(id) === undefined && !engine.sandboxes.isLeaving(id));
}

/** Books the traffic of this process's browsers, so that other processes know it and it survives this one. */
async function bookTrafficOf(engine: EngineState): Promise<void> {
  for (const id of engine.sandboxes.ids()) if (engine.sandboxes.unbookedBytes(id) > 0) await book(engine, id);
}

async function book({ db, sandboxes, owners }: EngineState, id: string): Promise<void> {
  const bytes = sandboxes.unbookedBytes(id);
  const isBooked = await addTraffic(db, id, { bytes, owner: owners.self });
  const sandbox = sandboxes.get(id);
  if (isBooked && sandbox !== undefined) sandbox.bookedBytes += bytes;
}

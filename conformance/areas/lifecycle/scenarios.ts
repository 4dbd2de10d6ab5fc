import type { ControlFaults } from '../../core/controls.ts';
import { toText } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import {
  type Observation,
  type SessionObservation,
  createSession,
  endStates,
  fetchSession,
  hasEnded,
  poll,
  wasRunning,
} from '../../common/observed-session.ts';

/** A session whose sandbox failed because of an injected fault. */
export interface FailedSandbox {
  session: SessionObservation;
  /** Status of the session before the fault; undefined if the fault was injected before the session was created. */
  before: string | undefined;
  /**
   * A fetch of the session one polling interval after a fetch has shown its end; undefined when no fetch has shown its
   * end.
   */
  later: Observation | undefined;
}

/** Creates a session while no sandbox can start. Records the session until it ends or the start deadline has passed. */
export const failedStart: Scenario<FailedSandbox> = {
  name: 'failed-start',
  creates: 'one V3 session without a task while the target starts no sandbox',
  spend: 'task',
  dispatches: 0,
  stateful: true,
  movesClock: true,
  unavailable: noControl,
  run: (context) => context.live(() => failStart(context, requireFaults(context))),
};

/**
 * Creates a session and makes its sandbox fail while its task runs. Records the session until it ends or the start
 * deadline has passed.
 */
export const crashedSession: Scenario<FailedSandbox> = {
  name: 'crashed-session',
  creates: 'one V3 session with a slow task whose sandbox is lost while it runs',
  spend: 'task',
  dispatches: 1,
  stateful: true,
  movesClock: true,
  unavailable: (target) =>
    noControl(target) ?? (target.tasks.slow === null ? 'the target file names no slow goal (tasks.slow)' : undefined),
  run: (context) => context.live(() => crash(context, requireFaults(context))),
};

function noControl({ control }: Target): string | undefined {
  return control === null ? 'needs a control address in the target file (control)' : undefined;
}

function requireFaults({ faults }: ScenarioContext): ControlFaults {
  if (faults === undefined) throw new NotTestable('the target file names no control address');
  return faults;
}

async function failStart(context: ScenarioContext, faults: ControlFaults): Promise<FailedSandbox> {
  return faults.withoutStarts(async () => {
    const session = await createSession(context, { keepAlive: true });
    return { session, before: undefined, later: await watchEnd(context, session) };
  });
}

async function crash(context: ScenarioContext, faults: ControlFaults): Promise<FailedSandbox> {
  const session = await createSession(context, { task: String(context.target.tasks.slow), keepAlive: true });
  const deadlineMs = context.target.polling.startDeadlineMs;
  await poll(context, session, { id: session.id, until: (task) => wasRunning(task) || hasEnded(task), deadlineMs });
  const before = toText(session.end.record['status']);
  await faults.crash(session.id);
  return { session, before, later: await watchEnd(context, session) };
}

async function watchEnd(context: ScenarioContext, session: SessionObservation): Promise<Observation | undefined> {
  const ended = await poll(context, session, {
    id: session.id,
    until: ({ end }) => endStates.includes(toText(end.record['status'])),
    deadlineMs: context.target.polling.startDeadlineMs,
  });
  if (!ended) return undefined;
  await context.pause(context.target.polling.intervalMs);
  return fetchSession(context, session.id);
}

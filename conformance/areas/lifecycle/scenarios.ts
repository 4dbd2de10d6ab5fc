import type { ControlFaults } from '../../core/controls.ts';
import { succeeded } from '../../core/exchange.ts';
import { toText } from '../../core/json.ts';
import { notOffered } from '../../core/operations.ts';
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
import { readSettled } from '../../common/target-facts.ts';
import { createWorkspaceFiles, type Stored, type WorkspaceFiles } from '../../common/workspace-files.ts';
import { named } from '../v3-sessions/scenarios.ts';

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

/** Uploads of small files to the workspace of a session: before its creation, and while it is idle. */
export interface IdleUploads {
  /** The upload before the creation of the session. */
  control: Stored;
  /** The last upload while the session was idle; undefined if `control` failed, and if the session was never idle. */
  idle: Stored | undefined;
  /** Fetch of the session after this upload. */
  after: Observation | undefined;
}

/**
 * Uploads a file to a V3 workspace, creates a session without a task in this workspace, and uploads another file while
 * the session is idle.
 */
export const idleUploads: Scenario<IdleUploads> = {
  name: 'idle-uploads',
  creates: 'one V3 session without a task, in a workspace with two small files that is deleted again',
  spend: 'browser',
  dispatches: 0,
  browsers: () => 1,
  stateful: true,
  unavailable: (target) =>
    notOffered(target, ['v3.createWorkspace', 'v3.uploadWorkspaceFiles']) ??
    (target.v3?.members.workspaceId === null
      ? 'the target file names no member for the workspace of a session (v3.members.workspaceId)'
      : undefined),
  run: (context) => context.live(() => driveUploads(context)),
};

async function driveUploads(context: ScenarioContext): Promise<IdleUploads> {
  const files = await createWorkspaceFiles(context, 'v3');
  if (files === undefined) throw new NotTestable('no V3 workspace was created');
  const control = await storeNote(files, 'before.txt');
  if (!isStored(control)) return { control, idle: undefined, after: undefined };
  const body = { keepAlive: true, ...named(context.target, { workspaceId: files.id }) };
  const session = await createSession(context, body);
  const isIdle = ({ end }: SessionObservation): boolean => end.record['status'] === 'idle';
  await poll(context, session, {
    id: session.id,
    until: (seen) => isIdle(session) || endStates.includes(toText(seen.end.record['status'])),
    deadlineMs: context.target.polling.startDeadlineMs,
  });
  const idle = isIdle(session) ? await storeInTime(context, files) : undefined;
  const after = idle === undefined ? undefined : await fetchSession(context, session.id);
  const entry = context.ledger.find('session', session.id);
  if (entry !== undefined) await context.resources.end(entry);
  return { control, idle, after };
}

/** Uploads a file, and repeats a failed upload until the settle deadline. Returns the last upload. */
function storeInTime(context: ScenarioContext, files: WorkspaceFiles): Promise<Stored> {
  let tried = 0;
  return readSettled(
    context,
    () => {
      tried += 1;
      return storeNote(files, `idle-${tried}.txt`);
    },
    isStored,
  );
}

function storeNote(files: WorkspaceFiles, name: string): Promise<Stored> {
  return files.store([{ name, text: `the file ${name} of the suite`, contentType: 'text/plain' }]);
}

/** Returns true if the target has accepted the reservation and the content of each file. */
export function isStored({ samples, reserved, sent }: Stored): boolean {
  return succeeded(reserved) && sent.length === samples.length && sent.every((exchange) => succeeded(exchange));
}

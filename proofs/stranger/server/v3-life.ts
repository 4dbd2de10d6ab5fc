/** Life cycle of a V3 session: sandbox, tasks, ceiling, inactivity, failure. */
import { answerFor, describeStep, meterStep, planFor, startWork, titleFor, type Plan } from './agent.ts';
import { statusAfterTask } from './combined-requests.ts';
import { instanceFor } from './outputs.ts';
import { bill, later, now, type Json, type Project, type Session, type World } from './world.ts';

/** Time in ms without activity after which an idle session times out. */
const inactivityMs = 900_000;

const sandboxMs = 15;

/** Starts the sandbox of a new session, and then the task if one is given. */
export function startSandbox(world: World, session: Session, task: string | null): void {
  if (world.faults.has('v3-created-skipped')) session.status = 'idle';
  if (world.faults.has('v3-never-ready')) return;
  later(world, sandboxMs, () => {
    if (session.status !== 'created' && session.status !== 'idle') return;
    session.updatedAt = now(world);
    session.activeAt = now(world);
    if (world.sandboxFails && !world.faults.has('v3-sandbox-failure-hidden')) {
      session.status = world.faults.has('cb-failed-start-stopped') ? 'stopped' : 'error';
      return;
    }
    session.status = 'idle';
    if (task === null && !session.keepAlive && world.faults.has('cb-empty-stops')) session.status = 'stopped';
    if (task === null || world.faults.has('v3-task-not-dispatched')) return;
    const begin = (): void => {
      if (session.status === 'idle') beginTask(world, session, task);
    };
    if (world.dialect.showsFirstIdle) later(world, 5, begin);
    else begin();
  });
}

/** Dispatches a task to an idle session. */
export function beginTask(world: World, session: Session, task: string): void {
  const { faults } = world;
  const at = now(world);
  session.tasks += 1;
  session.task = task;
  session.status = 'running';
  if (!faults.has('v3-updated-constant')) session.updatedAt = at;
  session.activeAt = at;
  if (!faults.has('v3-output-of-earlier-task-stays')) session.output = null;
  if (!faults.has('v3-success-of-earlier-task-stays')) session.successful = null;
  if (faults.has('v3-success-early')) session.successful = true;
  if (faults.has('v3-success-false-while-running')) session.successful = false;
  if (session.tasks > 1 && faults.has('v3-costs-reset'))
    Object.assign(session.meters, { inputTokens: 0, outputTokens: 0 });
  note(world, session, { role: 'human', data: task, type: 'user_message', summary: titleFor(task) });
  const plan = planFor(task);
  if (faults.has('v3-created-while-running')) session.status = 'created';
  session.work = startWork(world, plan, {
    step: (number) => step(world, session, { plan, task, number }),
    end: () => endTask(world, session, { plan, task }),
  });
}

function step(
  world: World,
  session: Session,
  { plan, task, number }: { plan: Plan; task: string; number: number },
): boolean {
  const { faults } = world;
  session.title ??= titleFor(task);
  if (!faults.has('v3-steps-never')) session.stepCount += faults.has('v3-steps-backwards') && number > 1 ? -1 : 1;
  if (!faults.has('v3-summary-never')) session.lastStepSummary = describeStep(number);
  if (!faults.has('v3-updated-constant')) session.updatedAt = now(world);
  meterStep(session.meters, plan, session.country !== null);
  note(world, session, {
    role: 'ai',
    data: describeStep(number),
    type: 'browser_action',
    summary: describeStep(number),
  });
  const isOver = session.ceiling !== null && bill(session.meters).total >= session.ceiling;
  if (!isOver || faults.has('v3-ceiling-ignored')) return true;
  finish(world, session, { output: 'The cost ceiling was reached.', successful: faults.has('v3-ceiling-succeeds') });
  return false;
}

function endTask(world: World, session: Session, { plan, task }: { plan: Plan; task: string }): void {
  const { faults } = world;
  const achieved = plan.achieves !== faults.has('v3-success-inverted');
  finish(world, session, {
    output: outputFor(world, session, { achieved: plan.achieves, task }),
    successful: faults.has('v3-success-always') ? true : achieved,
  });
}

interface Result {
  readonly achieved: boolean;
  readonly task: string;
}

function outputFor(world: World, session: Session, result: Result): unknown {
  const { faults } = world;
  if (session.codeMode && !faults.has('v3-code-ignored')) return programOutput(world, session, result);
  if (session.outputSchema !== null && !faults.has('v3-schema-ignored'))
    return structuredOutput(world, session, result);
  const words = answerFor(result.task, result.achieved);
  return faults.has('v3-output-as-object') ? { text: words } : words;
}

function programOutput(world: World, session: Session, { achieved, task }: Result): unknown {
  if (!achieved) return { text: answerFor(task, false), code: '' };
  return codeOutput(world, session.outputSchema === null ? 'done' : instanceFor(session.outputSchema, world.faults));
}

function structuredOutput(world: World, session: Session, { achieved }: Result): unknown {
  if (!achieved || session.outputSchema === null) return null;
  const structured = instanceFor(session.outputSchema, world.faults);
  if (world.faults.has('v3-output-as-text')) return `Result: ${JSON.stringify(structured)}`;
  return world.faults.has('v3-output-wrapped') ? { result: structured } : structured;
}

function codeOutput(world: World, result: unknown): Json {
  const { faults } = world;
  const output: Json = { text: 'Ran a small program.', code: 'console.log("done");\n', output: result };
  if (faults.has('v3-code-without-code')) delete output['code'];
  if (faults.has('v3-code-without-text')) delete output['text'];
  if (faults.has('v3-code-as-list')) output['code'] = ['console.log("done");'];
  if (faults.has('v3-code-renamed')) return { summary: output['text'], source: output['code'] };
  return output;
}

function finish(world: World, session: Session, result: { output: unknown; successful: boolean }): void {
  const { faults } = world;
  session.work = null;
  session.output = faults.has('v3-output-never') ? null : result.output;
  session.successful = faults.has('v3-success-null') ? null : result.successful;
  if (faults.has('v3-updated-before-created')) session.updatedAt = session.createdAt - 1000;
  else if (!faults.has('v3-updated-constant')) session.updatedAt = now(world);
  session.activeAt = now(world);
  if (session.recording) session.recordingUrls = [`${world.url}/media/${session.id}/recording.webm`];
  note(world, session, { role: 'ai', data: JSON.stringify(session.output), type: 'completion', summary: 'Done' });
  session.status = statusAfterTask(world, session) ?? stateAfterTask(world, session);
}

function stateAfterTask(world: World, session: Session): Session['status'] {
  const { faults } = world;
  if (session.keepAlive) return faults.has('v3-keepalive-ignored') ? 'stopped' : 'idle';
  if (session.tasks > 1 && faults.has('v3-followup-never-stops')) return 'idle';
  if (faults.has('v3-auto-stop-never')) return 'idle';
  return session.successful === false && faults.has('v3-failure-is-error') ? 'error' : 'stopped';
}

/** Moves idle sessions past their inactivity timeout to `timed_out`. */
export function advanceSessions(world: World, project: Project): void {
  for (const session of project.sessions.values()) {
    const isQuiet = session.status === 'idle' && now(world) - session.activeAt >= inactivityMs;
    if (!isQuiet || world.faults.has('v3-inactivity-never')) continue;
    session.status = world.faults.has('v3-inactivity-is-stopped') ? 'stopped' : 'timed_out';
    session.updatedAt = now(world);
  }
}

/** Ends a session whose sandbox failed. */
export function crashSession(world: World, session: Session): void {
  session.work?.stop();
  session.work = null;
  if (session.status === 'running') session.successful = false;
  session.status = world.faults.has('v3-crash-is-idle') ? 'idle' : 'error';
  if (world.faults.has('cb-crash-stopped')) session.status = 'stopped';
  session.updatedAt = now(world);
}

function note(world: World, session: Session, message: Json): void {
  const { dialect } = world;
  session.messages.push({
    id: dialect.id(),
    sessionId: session.id,
    hidden: false,
    ...message,
    createdAt: dialect.time(now(world)),
  });
}

/** Life cycle of V2 tasks and of their sessions. */
import { answerFor, describeStep, meterStep, planFor, startWork } from './agent.ts';
import { type Call, flag, text } from './call.ts';
import { instanceFor, isObject } from './outputs.ts';
import { levels } from './tables.ts';
import { type Json, later, noMeters, now, type Session2, type Task, type World } from './world.ts';

/**
 * Opens a session. With `isOneOff`, the session serves one task only; otherwise its `keepAlive` is that of the body,
 * true by default.
 */
export function openSession(call: Call, body: Json, isOneOff: boolean): Session2 {
  const session: Session2 = {
    id: call.world.dialect.id(),
    status: 'active',
    startedAt: now(call.world),
    finishedAt: null,
    keepAlive: isOneOff ? false : flag(body, 'keepAlive', true),
    persistMemory: flag(body, 'persistMemory', true),
    oneOff: isOneOff,
    share: null,
  };
  call.project.sessions2.set(session.id, session);
  return session;
}

/** Ends a session. */
export function closeSession(world: World, session: Session2): void {
  session.status = 'stopped';
  session.finishedAt = now(world);
}

/** Creates a task in a session and schedules its start. */
export function createTask(call: Call, body: Json, session: Session2): Task {
  const { world } = call;
  const task: Task = {
    id: world.dialect.id(),
    sessionId: session.id,
    createdAt: now(world),
    startedAt: null,
    finishedAt: null,
    status: 'created',
    llm: text(body, 'llm') ?? (world.faults.has('v2-default-model') ? 'gpt-4.1' : 'svc-2.0'),
    level: levels.find((level) => level === body['thinkingLevel']) ?? null,
    task: text(body, 'task') ?? '',
    metadata: objectOr(body, 'metadata'),
    steps: [],
    output: null,
    successful: null,
    meters: noMeters(),
    outputFiles: [],
    judged: flag(body, 'judge', false),
    work: null,
  };
  call.project.tasks.set(task.id, task);
  if (!world.faults.has('v2-task-never-starts')) later(world, 10, () => beginTask(world, { task, session, body }));
  return task;
}

interface Started {
  readonly task: Task;
  readonly session: Session2;
  readonly body: Json;
}

function beginTask(world: World, started: Started): void {
  const { task, body } = started;
  if (task.status !== 'created') return;
  task.status = 'started';
  task.startedAt = now(world);
  const plan = planFor(task.task);
  const most = Number(body['maxSteps'] ?? 100);
  const steps = Math.min(plan.steps, world.faults.has('v2-max-steps-ignored') ? Infinity : Math.max(most, 1));
  task.work = startWork(
    world,
    { ...plan, steps: plan.steps === Infinity ? Infinity : steps },
    {
      step: (number) => {
        meterStep(task.meters, plan);
        task.steps.push(stepView(number, task));
        return true;
      },
      end: () => endTask(world, started),
    },
  );
}

function stepView(number: number, task: Task): Json {
  return {
    number,
    memory: `Step ${number} of the task`,
    evaluationPreviousGoal: number === 1 ? 'Nothing before' : 'Went well',
    nextGoal: describeStep(number),
    url: 'https://example.com/',
    screenshotUrl: null,
    actions: [JSON.stringify({ look: { page: number } })],
    duration: task.meters.browserMs / 1000,
  };
}

function endTask(world: World, { task, session, body }: Started): void {
  const { faults } = world;
  const plan = planFor(task.task);
  task.work = null;
  const schema = parseSchema(text(body, 'structuredOutput'));
  task.output =
    schema && plan.achieves ? JSON.stringify(instanceFor(schema, faults)) : answerFor(task.task, plan.achieves);
  if (schema && plan.achieves && faults.has('v2-structured-plain')) task.output = 'All done.';
  if (faults.has('v2-output-never')) task.output = null;
  task.successful = plan.achieves !== faults.has('v2-success-inverted');
  task.status = faults.has('v2-failed-in-place-of-finished') ? 'failed' : 'finished';
  if (faults.has('v2-never-finishes')) task.status = 'started';
  task.finishedAt = now(world);
  const staysOpen = session.keepAlive || faults.has('v2-one-off-stays-open');
  if (!staysOpen) closeSession(world, session);
}

function parseSchema(written: string | null): Json | null {
  if (written === null) return null;
  try {
    const parsed: unknown = JSON.parse(written);
    return isObject(parsed) ? parsed : null;
  } catch {
    // Text that is not JSON requests no structured output.
    return null;
  }
}

/** Returns true if a task has not ended. */
export function isOpen(task: Task): boolean {
  return task.status === 'created' || task.status === 'started';
}

/** Stops a task that has not ended. */
export function stopTask(world: World, task: Task): void {
  if (!isOpen(task)) return;
  task.work?.stop();
  task.work = null;
  task.status = world.faults.has('v2-stop-is-finished') ? 'finished' : 'stopped';
  task.finishedAt = now(world);
}

/** Returns a member as an object; an empty object for any other value. */
export function objectOr(body: Json, name: string): Json {
  const value = body[name];
  return isObject(value) ? value : {};
}

/** Life cycle of V4 runs: states, steps, events, endings, and the queue of their session. */
import { answerFor, describeStep, meterStep, planFor, startWork, titleFor } from './agent.ts';
import { type Call, objectIn, refuse, text } from './call.ts';
import { instanceFor } from './outputs.ts';
import { newWorkspace } from './stores.ts';
import { bill, type Conversation, type Json, later, noMeters, now, type Run, type World } from './world.ts';

/** Creates a run in a session and starts it. */
export function createRun(call: Call, body: Json, conversation: Conversation): Run {
  const { world, project } = call;
  const settings = objectIn(body, 'browserSettings') ?? {};
  const ceiling = body['maxCostUsd'];
  const run: Run = {
    id: world.dialect.id(),
    sessionId: conversation.id,
    workspaceId: conversation.workspaceId,
    createdAt: now(world),
    updatedAt: now(world),
    status: 'queued',
    model: text(body, 'model') ?? (world.faults.has('v4-default-model') ? 'minimax-m3' : 'gpt-5.6-luna'),
    modelParams: objectIn(body, 'modelParams'),
    task: text(body, 'task') ?? '',
    title: null,
    result: null,
    error: null,
    outputSchema: objectIn(body, 'outputSchema'),
    output: null,
    judgement: null,
    attachedFileIds: Array.isArray(body['attachedFileIds']) ? body['attachedFileIds'].map(String) : [],
    meters: noMeters(),
    ceiling: ceiling === undefined || ceiling === null ? null : Math.round(Number(ceiling) * 1e6),
    events: [],
    country: settings['proxyCountryCode'] === null ? null : (text(settings, 'proxyCountryCode') ?? 'us'),
    work: null,
  };
  project.runs.set(run.id, run);
  conversation.runIds.push(run.id);
  addEvent(world, run, { type: 'run.created', data: {} });
  const moves: Run['status'][] = ['dispatching', 'running'];
  if (!world.faults.has('v4-run-never-starts')) later(world, 8, () => proceed(call, { run, conversation, moves }));
  return run;
}

interface Underway {
  readonly run: Run;
  readonly conversation: Conversation;
  readonly moves: Run['status'][];
}

function proceed(call: Call, underway: Underway): void {
  const { run, moves } = underway;
  if (!isOpen(run)) return;
  const next = moves.shift();
  if (next === undefined) return work(call, underway);
  move(call.world, run, next);
  if (next === 'running')
    addEvent(call.world, run, {
      type: 'browser.ready',
      data: { live_view_url: `${call.world.url}/live/${run.sessionId}` },
    });
  later(call.world, 8, () => proceed(call, underway));
}

function move(world: World, run: Run, status: Run['status']): void {
  run.status = status;
  if (!world.faults.has('v4-updated-constant')) run.updatedAt = now(world);
}

function work(call: Call, underway: Underway): void {
  const { world } = call;
  const { run } = underway;
  const plan = planFor(run.task);
  run.work = startWork(world, plan, {
    step: (number) => {
      run.title ??= titleFor(run.task);
      meterStep(run.meters, plan);
      run.updatedAt = now(world);
      addEvent(world, run, { type: 'tool.called', data: { step: number, note: describeStep(number) } });
      const isOver =
        run.ceiling !== null && bill(run.meters).total >= run.ceiling && !world.faults.has('v4-ceiling-ignored');
      if (isOver) finish(call, underway, { status: 'failed', result: null, error: 'The cost ceiling was reached.' });
      return !isOver;
    },
    end: () => {
      if (run.outputSchema && plan.achieves) run.output = instanceFor(run.outputSchema, world.faults);
      finish(call, underway, { status: 'completed', result: answerFor(run.task, plan.achieves), error: null });
    },
  });
}

interface Ending {
  readonly status: 'completed' | 'failed';
  readonly result: string | null;
  readonly error: string | null;
}

function finish(call: Call, { run, conversation }: Underway, ending: Ending): void {
  const { world } = call;
  const { faults } = world;
  run.work = null;
  if (faults.has('v4-never-completes')) return;
  if (conversation.runIds[0] !== run.id && faults.has('ef-v4-follow-up-never-ends')) return;
  run.result = faults.has('v4-result-never') ? null : ending.result;
  run.error = ending.error;
  run.judgement = { verdict: ending.status === 'completed' };
  move(world, run, faults.has('v4-completed-is-failed') ? 'failed' : ending.status);
  addEvent(world, run, { type: `run.${ending.status}`, data: {} });
  takeNext(call, conversation);
}

/** Starts the first pending message of a session as a run, unless a run of the session is open. */
export function takeNext(call: Call, conversation: Conversation): void {
  const next = conversation.queue.find((message) => message['status'] === 'pending');
  if (!next || conversation.runIds.some((id) => isOpen(call.project.runs.get(id)))) return;
  const latest = call.project.runs.get(conversation.runIds.at(-1) ?? '');
  const run = createRun(call, { task: next['text'], model: latest?.model }, conversation);
  next['status'] = 'consumed';
  next['runId'] = run.id;
}

/** Returns true if a run has not ended; false for undefined. */
export function isOpen(run: Run | undefined): boolean {
  return run !== undefined && ['queued', 'dispatching', 'running'].includes(run.status);
}

/** Cancels a run that has not ended. */
export function cancel(world: World, run: Run): void {
  if (!isOpen(run)) return;
  if (!world.faults.has('v4-cancel-keeps-working')) run.work?.stop();
  run.work = null;
  move(world, run, world.faults.has('v4-cancel-is-completed') ? 'completed' : 'cancelled');
  addEvent(world, run, { type: 'run.cancelled', data: {} });
}

function addEvent(world: World, run: Run, event: { type: string; data: Json }): void {
  world.serial += 1;
  run.events.push({ runId: run.id, id: world.serial, ts: world.dialect.time(now(world)), ...event });
}

/**
 * Opens a session for runs, in a given workspace or in a new workspace. Throws a 404 `Refusal` for an unknown
 * workspace.
 */
export function openConversation(call: Call, body: Json): Conversation {
  const { world, project } = call;
  const asked = text(body, 'workspaceId');
  if (asked !== null && !project.workspaces.has(asked)) refuse(world, 404, 'Workspace not found');
  const conversation: Conversation = {
    id: world.dialect.id(),
    workspaceId: asked ?? newWorkspace(call, null).id,
    title: null,
    createdAt: now(world),
    runIds: [],
    queue: [],
    profileId: text(objectIn(body, 'browserSettings') ?? {}, 'profileId'),
  };
  project.conversations.set(conversation.id, conversation);
  return conversation;
}

/** V2 tasks: creation, fetch, list, stop. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, type Call, type Problem, refuse, text } from './call.ts';
import { type Field, memberProblems, readQuery, requireIds, requireObject, settle, unknownMembers } from './checks.ts';
import { levelProblem } from './model-params.ts';
import { pageAnswer } from './pages.ts';
import { levels, v2Levels } from './tables.ts';
import { closeSession, createTask, isOpen, objectOr, openSession, stopTask } from './v2-life.ts';
import { findSession, taskView } from './v2-sessions.ts';
import type { Json, Session2, Task } from './world.ts';

const newerModels = ['svc-2-0-mini-preview', 'grok-4.6', 'glm-5.3-flash', 'deepseek-v4-flash-vision'];

const models = [...v2Levels.keys()];

const taskFields: readonly Field[] = [
  { name: 'task', kind: 'text', required: true, min: 1, max: 50_000 },
  { name: 'llm', kind: 'text', oneOf: models },
  { name: 'startUrl', kind: 'text', nullable: true },
  { name: 'maxSteps', kind: 'integer', min: 1, max: 10_000 },
  { name: 'structuredOutput', kind: 'text', nullable: true },
  { name: 'sessionId', kind: 'uuid', nullable: true },
  { name: 'metadata', kind: 'labels', nullable: true },
  { name: 'secrets', kind: 'labels', nullable: true },
  { name: 'allowedDomains', kind: 'list', nullable: true },
  { name: 'sessionSettings', kind: 'object', nullable: true },
  { name: 'highlightElements', kind: 'boolean' },
  { name: 'flashMode', kind: 'boolean' },
  { name: 'thinking', kind: 'boolean' },
  { name: 'vision', kind: 'any' },
  { name: 'systemPromptExtension', kind: 'text', max: 10_000 },
  { name: 'judge', kind: 'boolean' },
  { name: 'judgeGroundTruth', kind: 'text', nullable: true, max: 10_000 },
  { name: 'judgeLlm', kind: 'text', nullable: true, oneOf: models },
  { name: 'thinkingLevel', kind: 'text', nullable: true, oneOf: levels },
];

const skipsLevel: Partial<Record<FaultId, (body: Json) => boolean>> = {
  'lv2-thinking-true-unchecked': (body) => body['thinking'] === true,
  'lv2-thinking-false-unchecked': (body) => body['thinking'] === false,
  'lv2-flash-mode-unchecked': (body) => body['flashMode'] === true,
  'lv2-judge-unchecked': (body) => body['judge'] === true,
  'lv2-short-task-unchecked': (body) => String(body['task']).length < 20,
  'lv2-long-task-unchecked': (body) => String(body['task']).length > 200,
  'lv2-start-url-unchecked': (body) => 'startUrl' in body,
  'lv2-metadata-unchecked': (body) => 'metadata' in body,
  'lv2-session-unchecked': (body) => typeof body['sessionId'] === 'string',
};

/** Creates a task, in a given session or in a new session. */
export function postTask(call: Call): Answer {
  const { world, project } = call;
  const body = requireObject(call);
  try {
    validate(call, body);
  } catch (error) {
    if (world.faults.has('v2-refusal-creates')) {
      createTask(call, { ...body, task: 'refused', llm: 'svc-2.0', thinkingLevel: null }, openSession(call, {}, true));
    }
    if (world.faults.has('v2-refusal-opens-session')) openSession(call, {}, false);
    throw error;
  }
  const id = text(body, 'sessionId');
  const session = id === null ? openSession(call, objectOr(body, 'sessionSettings'), true) : busyFree(call, id);
  const task = createTask(call, body, session);
  if (world.faults.has('v2-create-id-wrong'))
    return { status: 202, body: { id: world.dialect.id(), sessionId: session.id } };
  if (world.faults.has('v2-create-id-missing'))
    return { status: 202, body: { taskId: task.id, sessionId: session.id } };
  const other = [...project.tasks.values()].find((one) => one !== task);
  if (other && world.faults.has('v2-create-id-other'))
    return { status: 202, body: { id: other.id, sessionId: session.id } };
  return { status: 202, body: { id: task.id, sessionId: session.id } };
}

function validate(call: Call, body: Json): void {
  const { dialect, faults } = call.world;
  const fields = dialect.newerModels ? withNewerModels() : taskFields;
  const problems = memberProblems(fields, body, ['body']);
  if (dialect.strictBodies) problems.push(...unknownMembers(taskFields, body, ['body']));
  if (!['boolean', 'undefined'].includes(typeof body['vision']) && body['vision'] !== 'auto') {
    problems.push({ loc: ['body', 'vision'], msg: 'Input should be a boolean or auto', type: 'bool_type' });
  }
  settle(call, body, problems);
  const level = body['thinkingLevel'];
  const model = text(body, 'llm') ?? 'svc-2.0';
  if (level === undefined || level === null || faults.some(skipsLevel, body)) return;
  const supported = v2Levels.get(model) ?? levels;
  const isFollowUp = typeof body['sessionId'] === 'string';
  const problem: Problem | null = levelProblem({ model, level, supported, generation: 'v2', isFollowUp }, faults);
  if (problem) settle(call, body, [problem]);
}

function withNewerModels(): Field[] {
  return taskFields.map((field) => (field.name === 'llm' ? { ...field, oneOf: [...models, ...newerModels] } : field));
}

function busyFree(call: Call, id: string): Session2 {
  const session = findSession(call, id);
  if (session.status === 'stopped') refuse(call.world, 400, 'Session is stopped');
  const isBusy = [...call.project.tasks.values()].some((task) => task.sessionId === id && isOpen(task));
  if (isBusy) refuse(call.world, 400, 'Session has a running task');
  return session;
}

function findTask(call: Call): Task {
  requireIds(call);
  const id = call.params['task_id'] ?? '';
  const found = call.project.tasks.get(id.toLowerCase());
  if (found) {
    const other = [...call.project.tasks.values()].find((one) => one !== found);
    return other && call.world.faults.has('v2-get-other-task') ? other : found;
  }
  for (const project of call.world.projects) {
    const foreign = project.tasks.get(id);
    if (foreign && call.world.faults.has('v2-get-foreign')) return foreign;
  }
  return refuse(call.world, 404, 'Task not found');
}

/** Shows one task. */
export function getTask(call: Call): Answer {
  return { status: 200, body: taskView(call, findTask(call), 'full') };
}

/** Shows the state of one task. */
export function getTaskStatus(call: Call): Answer {
  return { status: 200, body: taskView(call, findTask(call), 'status') };
}

/** Returns the URL of a task's log; 404 until the task has ended. */
export function getTaskLogs(call: Call): Answer {
  const task = findTask(call);
  if (isOpen(task)) refuse(call.world, 404, 'Log not found');
  return { status: 200, body: { downloadUrl: `${call.world.url}/media/${task.id}/log.txt` } };
}

/** Stops a task, and its session on request or if the session was opened for this task only. */
export function patchTask(call: Call): Answer {
  requireIds(call);
  const body = requireObject(call);
  const fields: Field[] = [{ name: 'action', kind: 'text', required: true, oneOf: ['stop', 'stop_task_and_session'] }];
  settle(call, body, memberProblems(fields, body, ['body']));
  const task = findTask(call);
  const { world } = call;
  if (!world.faults.has('v2-stop-does-nothing')) stopTask(world, task);
  const session = call.project.sessions2.get(task.sessionId);
  const closes = body['action'] === 'stop_task_and_session' || session?.oneOff === true;
  if (session?.status === 'active' && closes && !world.faults.has('v2-stop-leaves-session'))
    closeSession(world, session);
  return { status: 200, body: taskView(call, task, 'full') };
}

const taskPage: readonly Field[] = [
  { name: 'pageSize', kind: 'integer', min: 1, max: 100 },
  { name: 'pageNumber', kind: 'integer', min: 1 },
  { name: 'sessionId', kind: 'uuid' },
  { name: 'filterBy', kind: 'text', oneOf: ['created', 'started', 'finished', 'failed', 'stopped'] },
  { name: 'after', kind: 'date' },
  { name: 'before', kind: 'date' },
];

/** Lists tasks, newest first. */
export function listTasks(call: Call): Answer {
  const query = readQuery(call, taskPage);
  const { faults } = call.world;
  const filters = faults.has('v2-list-filter-ignored') ? {} : query;
  const all = [...call.project.tasks.values()]
    .toReversed()
    .filter(
      (task) =>
        (filters['sessionId'] === undefined || task.sessionId === filters['sessionId']) &&
        (filters['filterBy'] === undefined || task.status === filters['filterBy']) &&
        (filters['after'] === undefined || task.createdAt > moment(filters['after'])) &&
        (filters['before'] === undefined || task.createdAt < moment(filters['before'])),
    );
  return pageAnswer(call, { all, query, show: (task) => taskView(call, task, 'item') });
}

function moment(value: unknown): number {
  const written = String(value);
  return Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(written) ? written : `${written}Z`);
}

import { type JsonObject, type JsonValue, isJsonObject, toText } from '#conformance/core/json.ts';
import type { Draw } from '../draw.ts';
import type { CallService, ServiceAnswer } from '../service/call-service.ts';
import type { Notebook } from './notebook.ts';
import {
  type ValueFact,
  createEventsFact,
  createFileFact,
  createGoalFact,
  createValueFact,
  type RecordFact,
  type RecordKind,
  createRecordFact,
} from './facts.ts';

/** Dependencies of a simulated API client. */
export interface ClientParts {
  /** Unique number of the client. */
  readonly number: number;
  readonly draw: Draw;
  readonly call: CallService;
  readonly notebook: Notebook;
  /** Counts acknowledged operations by name. */
  readonly count: (name: string) => void;
  /**
   * Maximum number of concurrent standalone browsers. Follow-up runs and messages of V4 go only to the latest sessions,
   * at most twice this number.
   */
  readonly browsersMax: number;
}

/** Resources that the service has acknowledged to one client. */
interface ClientResources {
  readonly records: Record<RecordKind, RecordFact[]>;
  readonly profiles: ValueFact[];
  readonly workspaces: ValueFact[];
  readonly v4Sessions: string[];
  goals: number;
}

/** One action of a client. Before its next action, the client records everything that the service has acknowledged. */
export type ClientStep = () => Promise<void>;

/**
 * Creates a simulated API client. Each call of the returned function performs one action. The call rejects if no
 * response arrives, or with `Away` if a part of the service is unavailable.
 */
export function createClient(parts: ClientParts): ClientStep {
  const has: ClientResources = {
    records: { 'v3 session': [], 'v2 task': [], 'v4 run': [], 'v4 browser': [], 'v4 message': [] },
    profiles: [],
    workspaces: [],
    v4Sessions: [],
    goals: 0,
  };
  return async () => {
    const [name, act] = parts.draw.of(acts);
    if (await act(parts, has)) parts.count(name);
  };
}

/** An action of a client. Resolves to true if the service acknowledged an operation. */
type Act = (parts: ClientParts, has: ClientResources) => Promise<boolean>;

const acts: readonly (readonly [string, Act])[] = [
  ['v3 session', createSession],
  ['v3 session', createSession],
  ['v3 follow-up', followUp],
  ['v3 follow-up', followUp],
  ['v3 stop', stopSession],
  ['v2 task', createTask],
  ['v4 run', createRun],
  ['v4 run', createRun],
  ['v4 further run', createFurtherRun],
  ['v4 message', createMessage],
  ['v4 message', createMessage],
  ['v4 cancel', cancelRun],
  ['browser', createBrowser],
  ['browser stopped', stopBrowser],
  ['profile', createProfile],
  ['profile renamed', renameProfile],
  ['profile renamed', renameProfile],
  ['workspace', createWorkspace],
  ['file', uploadFile],
  ['file', uploadFile],
  ['poll', poll],
  ['poll', poll],
  ['poll', poll],
];

/** Returns a unique task, which takes one to three seconds. */
function getGoal({ number, draw }: ClientParts, has: ClientResources): string {
  has.goals += 1;
  return `svc-test: slow ${1 + draw.below(2)}.${String(number).padStart(2, '0')}${String(has.goals).padStart(6, '0')}`;
}

/**
 * Returns the body of a successful response, or null for any other response. Rejects with `Away` for the statuses of a
 * partly unavailable service, and records any other 5xx as a fault.
 */
async function ask(
  { call, notebook }: ClientParts,
  { method, path, body }: { method: string; path: string; body?: JsonValue },
): Promise<JsonObject | null> {
  const answer: ServiceAnswer = await call(method, path, body);
  if (away.includes(answer.status))
    throw new Away(answer.status, `${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.json)}`);
  if (answer.status >= 500)
    notebook.fault(`${method} ${path} was answered ${answer.status}: ${JSON.stringify(answer.json)}`);
  return answer.status < 300 && isJsonObject(answer.json) ? answer.json : null;
}

/** Statuses of a partly unavailable service. */
const away: readonly number[] = [503, 507];

/**
 * Thrown when a part of the service is unavailable. This is expected only after a kill, during a lock or on a full
 * disk.
 */
export class Away extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function note({ notebook }: ClientParts, has: ClientResources, { kind, id }: { kind: RecordKind; id: string }): void {
  const fact = createRecordFact(kind, id);
  notebook.add(fact);
  has.records[kind].push(fact);
}

async function createSession(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const task = getGoal(parts, has);
  const body = { ...(parts.draw.chance(0.7) ? { task } : {}), keepAlive: parts.draw.chance(0.7) };
  const made = await ask(parts, { method: 'POST', path: 'v3/sessions', body });
  if (made === null) return false;
  note(parts, has, { kind: 'v3 session', id: toText(made['id']) });
  if ('task' in body) parts.notebook.add(createGoalFact(toText(made['id']), task));
  return true;
}

async function followUp(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const session = parts.draw.of(has.records['v3 session'].slice(-6).concat(none('v3 session')));
  const task = getGoal(parts, has);
  const made = await ask(parts, {
    method: 'POST',
    path: 'v3/sessions',
    body: { sessionId: session.id, task, keepAlive: true },
  });
  if (made !== null) parts.notebook.add(createGoalFact(session.id, task));
  return made !== null;
}

async function stopSession(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const session = parts.draw.of(has.records['v3 session'].slice(0, -2).concat(none('v3 session')));
  const stopped = await ask(parts, {
    method: 'POST',
    path: `v3/sessions/${session.id}/stop`,
    body: { strategy: 'session' },
  });
  const status = toText(stopped?.['status']);
  if (stopped !== null) session.acknowledgeEnd(status);
  return stopped !== null;
}

async function createTask(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const made = await ask(parts, { method: 'POST', path: 'v2/tasks', body: { task: getGoal(parts, has) } });
  if (made !== null) note(parts, has, { kind: 'v2 task', id: toText(made['id']) });
  return made !== null;
}

async function createRun(parts: ClientParts, has: ClientResources): Promise<boolean> {
  return runWith(parts, has, {});
}

async function createFurtherRun(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const session = parts.draw.of([...has.v4Sessions.slice(-2 * parts.browsersMax), nobody]);
  return runWith(parts, has, { sessionId: session });
}

async function runWith(parts: ClientParts, has: ClientResources, more: JsonObject): Promise<boolean> {
  const body = { task: getGoal(parts, has), model: 'gpt-5.6-luna', ...more };
  const made = await ask(parts, { method: 'POST', path: 'v4/runs', body });
  if (made === null) return false;
  const id = toText(made['id']);
  note(parts, has, { kind: 'v4 run', id });
  parts.notebook.add(createEventsFact(id));
  const session = toText(made['sessionId']);
  if (!has.v4Sessions.includes(session)) has.v4Sessions.push(session);
  return true;
}

async function createMessage(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const session = parts.draw.of([...has.v4Sessions.slice(-2 * parts.browsersMax), nobody]);
  const body = { text: getGoal(parts, has), interrupt: parts.draw.chance(0.2) };
  const made = await ask(parts, { method: 'POST', path: `v4/sessions/${session}/queue`, body });
  if (made !== null) note(parts, has, { kind: 'v4 message', id: `${session}/queue/${JSON.stringify(made['id'])}` });
  return made !== null;
}

async function cancelRun(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const run = parts.draw.of(has.records['v4 run'].slice(-4).concat(none('v4 run')));
  return (await ask(parts, { method: 'POST', path: `v4/runs/${run.id}/cancel` })) !== null;
}

async function createBrowser(parts: ClientParts, has: ClientResources): Promise<boolean> {
  if (has.records['v4 browser'].filter((browser) => !browser.hasEnded()).length >= parts.browsersMax)
    return stopBrowser(parts, has);
  const made = await ask(parts, { method: 'POST', path: 'v4/browsers', body: {} });
  if (made !== null) note(parts, has, { kind: 'v4 browser', id: toText(made['id']) });
  return made !== null;
}

async function stopBrowser(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const browser = parts.draw.of(has.records['v4 browser'].filter((one) => !one.hasEnded()).concat(none('v4 browser')));
  const stopped = await ask(parts, { method: 'PATCH', path: `v4/browsers/${browser.id}`, body: { action: 'stop' } });
  if (stopped === null) return false;
  browser.acknowledgeEnd('stopped');
  for (const fault of await browser.check(parts.call)) parts.notebook.fault(fault);
  return true;
}

async function createProfile(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const value = `profile of ${getGoal(parts, has)}`;
  const made = await ask(parts, { method: 'POST', path: 'v4/profiles', body: { name: value } });
  if (made === null) return false;
  const fact = createValueFact({ kind: 'profile', path: 'v4/profiles', id: toText(made['id']), value });
  has.profiles.push(fact);
  parts.notebook.add(fact);
  return true;
}

async function renameProfile(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const profile = has.profiles.at(-1);
  if (profile === undefined) return createProfile(parts, has);
  const name = `renamed to ${getGoal(parts, has)}`;
  profile.ask(name);
  const changed = await ask(parts, { method: 'PATCH', path: `v4/profiles/${profile.id}`, body: { name } });
  profile.answer(name, changed !== null);
  return changed !== null;
}

async function createWorkspace(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const value = `workspace of ${getGoal(parts, has)}`;
  const made = await ask(parts, { method: 'POST', path: 'v4/workspaces', body: { name: value } });
  if (made === null) return false;
  const fact = createValueFact({ kind: 'workspace', path: 'v4/workspaces', id: toText(made['id']), value });
  has.workspaces.push(fact);
  parts.notebook.add(fact);
  return true;
}

async function uploadFile(parts: ClientParts, has: ClientResources): Promise<boolean> {
  const workspace = has.workspaces.at(-1);
  if (workspace === undefined) return createWorkspace(parts, has);
  has.goals += 1;
  const bytes = Buffer.alloc(parts.draw.of([1, 1000, 100_000]), parts.draw.below(256));
  const file = {
    name: `file-${parts.number}-${has.goals}.bin`,
    contentType: 'application/octet-stream',
    size: bytes.length,
  };
  const made = await ask(parts, {
    method: 'POST',
    path: `v4/workspaces/${workspace.id}/files/upload`,
    body: { files: [file] },
  });
  const [open] = Array.isArray(made?.['files']) ? made['files'].filter(isJsonObject) : [];
  if (open === undefined) return false;
  const sent = await fetch(toText(open['uploadUrl']), {
    method: 'PUT',
    headers: { 'content-type': file.contentType },
    body: bytes,
  });
  const taken: unknown = await sent.json();
  if (away.includes(sent.status)) throw new Away(sent.status, `an upload was answered ${sent.status}`);
  if (sent.status >= 500) parts.notebook.fault(`an upload was answered ${sent.status}`);
  if (sent.status !== 200 || !isJsonObject(taken)) return false;
  parts.notebook.add(createFileFact(workspace.id, toText(taken['path']), bytes));
  return true;
}

/** Checks a random fact of the 60 newest facts. */
async function poll({ draw, notebook, call }: ClientParts): Promise<boolean> {
  const newest = notebook.facts.slice(-60);
  if (newest.length === 0) return false;
  for (const fault of await draw.of(newest).check(call)) notebook.fault(fault);
  return true;
}

const nobody = '00000000-0000-4000-8000-000000000000';

/**
 * Returns the fact for an id that no record has. A client that has no record of this kind requests this id, and the
 * service refuses the request.
 */
function none(kind: RecordKind): RecordFact {
  return createRecordFact(kind, nobody);
}

/**
 * A small service with switchable faults, judged by the suite's own tests. It shares no code with src and runs no real
 * browser. Each fetch of a session, task or run after the first advances it one step. Not a model for a real server.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type JsonObject, type JsonValue, isJsonObject, memberAt, parseJson, toText } from '../core/json.ts';
import type { Transport } from '../core/transport.ts';
import { generations } from '../core/target.ts';
import {
  type Reply,
  Refusals,
  levelProblem,
  notFound,
  ok,
  paramProblem,
  runFault,
  shapeProblems,
  taskFault,
} from './fake-rules.ts';
import { FakeBrowsers } from './fake-browsers.ts';
import { FakeJob } from './fake-job.ts';
import { FakeSessions } from './fake-sessions.ts';
import { askFakeProvider } from './fake-provider.ts';
import { type Asked, type Said, carryTo } from './in-process.ts';
import type { Fault, AllowedVariation } from './faults.ts';

/** The key that the fake service accepts. */
export const fakeKey = 'svc_fake_key_of_the_tests';

/** The key of the second project of the fake service. */
export const otherFakeKey = 'svc_other_fake_key_of_the_tests';

/** A running fake service. */
export interface FakeService {
  url: string;
  /**
   * Transport that calls the service in this process. It avoids the network, which takes half of the processor time of
   * a run. For tests that are not about HTTP.
   */
  transport: Transport;
  /** Returns the number of sessions, tasks, runs and browsers that have not ended. */
  alive(): number;
  close(): Promise<void>;
}

interface Call extends Omit<Asked, 'target'> {
  path: string;
  query: URLSearchParams;
}

/** Options of a fake service. */
export interface FakeOptions {
  /** Members that replace or add members of every session record. */
  override?: JsonObject;
  /** Variations that the contract allows. */
  habits?: readonly AllowedVariation[];
  /** Receives every request before it is answered. */
  onRequest?: (request: { method: string; path: string; text: string }) => void;
  /** Base URL of the model providers that the fake service calls. @defaultValue no provider is called */
  providers?: string;
}

/** Starts a fake service on a free loopback port. */
export async function startFakeService(broken: readonly Fault[] = [], options: FakeOptions = {}): Promise<FakeService> {
  const service = new Fake(new Set(broken), options);
  const server = createServer((request, response) => void service.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  service.url = `http://127.0.0.1:${address.port}`;
  server.on('upgrade', (request, socket, head) => service.browsers.upgrade(request, socket, head));
  return {
    url: service.url,
    transport: carryTo(service.url, (asked) => service.say(asked)),
    alive: () => service.alive(),
    close: () =>
      new Promise<void>((resolve) => {
        service.browsers.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Fake {
  url = '';
  readonly override: JsonObject;
  lastProfile: JsonValue = null;
  readonly firstByText = new Map<string, JsonValue>();
  readonly browsers = new FakeBrowsers(this);
  readonly refusals: Refusals;
  private readonly onRequest: FakeOptions['onRequest'];
  private readonly providers: string | undefined;
  private readonly faults: ReadonlySet<Fault>;
  private readonly habits: ReadonlySet<AllowedVariation>;
  private readonly sessions = new FakeSessions(this);
  private readonly jobs = new Map<string, FakeJob>();
  /** For each task and run id, the key with which the task or run was created. */
  private readonly owners = new Map<string, string>();
  /** Names of the screenshots and recordings that were opened. */
  private readonly opened = new Set<string>();
  private offsetMs = 0;
  private runRequests = 0;
  /** True for V2 if the latest accepted creation contained a level, and for V4 if it contained modelParams. */
  private readonly accepted = { v2: false, v4: false };

  constructor(broken: ReadonlySet<Fault>, { override = {}, habits = [], onRequest, providers }: FakeOptions) {
    this.onRequest = onRequest;
    this.providers = providers;
    this.faults = broken;
    this.refusals = new Refusals(this.has);
    this.override = override;
    this.habits = new Set(habits);
  }

  now = (): number => Date.now() + this.offsetMs;

  has = (fault: Fault): boolean => this.faults.has(fault);

  does = (habit: AllowedVariation): boolean => this.habits.has(habit);

  hasEndedJob = (): boolean => [...this.jobs.values()].some(({ ended }) => ended);

  alive(): number {
    const jobs = [...this.jobs.values()].filter(({ ended }) => !ended);
    return this.sessions.alive() + this.browsers.alive() + jobs.length;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const { method = 'GET', url: target = '/', headers, rawHeaders: names } = request;
    const said = await this.say({ method, target, headers, names, text: Buffer.concat(chunks).toString() });
    response.writeHead(said.status, said.headers);
    response.end(said.text);
  }

  async say({ target, ...asked }: Asked): Promise<Said> {
    const { pathname, searchParams } = new URL(target, 'http://fake');
    const call: Call = { ...asked, path: pathname, query: searchParams };
    this.onRequest?.(call);
    const { status, body, text: plain, headers } = this.answer(call);
    if (status < 300) await this.askModel(call);
    const whole = plain ?? (body === undefined ? '' : JSON.stringify(body));
    const isCut = this.has('length of a body counted in characters');
    const text = isCut ? Buffer.from(whole).subarray(0, whole.length).toString() : whole;
    const isList = call.method === 'GET' && call.path.endsWith('/tasks');
    return {
      status,
      headers: { 'content-type': 'application/json', ...headers },
      text: isList && this.has('list is not JSON') ? `<p>${text}</p>` : text,
    };
  }

  private async askModel({ method, path, text, headers }: Call): Promise<void> {
    const creation = /^\/api\/(v[234])\/(?:tasks|sessions|runs)$/.exec(path);
    const generation = generations.find((name) => name === creation?.[1]);
    const body = parseJson(text);
    if (method !== 'POST' || generation === undefined || !isJsonObject(body)) return;
    const hasOwnKey = readKey(headers) === fakeKey;
    await askFakeProvider({ address: this.providers, has: this.has }, { generation, body, hasOwnKey });
  }

  private answer(call: Call): Reply {
    const outside = this.outside(call);
    if (outside !== undefined) return outside;
    if (!this.authenticated(call)) return { status: 401, body: { detail: 'Expected a valid API key' } };
    const unread = this.unread(call);
    if (unread !== undefined) return unread;
    const body = call.text === '' ? {} : parseJson(call.text);
    if (body === undefined && !this.has('malformed JSON accepted'))
      return this.refusals.refuse('The body is not valid JSON');
    if (body !== undefined && !isJsonObject(body)) return this.refusals.refuse('The body is not an object');
    return this.route(call, body ?? {});
  }

  // Returns the response of a fault to a request whose body is not read.
  private unread(call: Call): Reply | undefined {
    if (/charset/.test(call.headers['content-type'] ?? '') && this.has('charset refused'))
      return { status: 415, body: { detail: 'Unsupported Media Type' } };
    const isFailing = isTaskWithoutBody(call) && this.has('V2 creation without a body fails');
    return isFailing ? { status: 500, body: { detail: 'Internal error' } } : undefined;
  }

  // Handles requests without a key: the URLs of records, and the control URL.
  private outside(call: Call): Reply | undefined {
    if (call.path === '/control/clock') {
      const body = parseJson(call.text);
      this.offsetMs += isJsonObject(body) ? Number(body['advanceMs']) : 0;
      return { status: 200, body: {} };
    }
    // Reports the proxy of a fake browser's request.
    if (call.path === '/checker') return ok({ seen: parseJson(toText(call.headers['x-fake-exit'])) ?? null });
    if (call.path === '/control/faults') return this.setFault(parseJson(call.text));
    if (call.path === '/shot') return this.screenshot(call.query);
    if (call.path.startsWith('/cdp/')) return this.browsers.discover(call.path.split('/')[2] ?? '');
    return this.document(call);
  }

  private screenshot(query: URLSearchParams): Reply {
    const expires = Number(query.get('expires'));
    const nonce = toText(query.get('n'));
    const isLatest = this.sessions.isLatestShot(toText(query.get('of')), nonce);
    const isReplaced = !isLatest && this.has('screenshot ends with the next address');
    const isUsed = this.has('screenshot opens once') && this.isOpenedAgain(`shot ${query.get('n')}`);
    if (isUsed || isReplaced || (expires !== 0 && expires < this.now())) return { status: 403, body: {} };
    const type = this.has('screenshot is a page') ? 'text/html' : 'image/png';
    return { status: 200, text: 'picture', headers: { 'content-type': type } };
  }

  /** Returns true if a screenshot or recording with this name was opened before. */
  private isOpenedAgain(name: string): boolean {
    const isAgain = this.opened.has(name);
    this.opened.add(name);
    return isAgain;
  }

  private setFault(body: JsonValue | undefined): Reply {
    if (!isJsonObject(body)) return { status: 400, body: {} };
    if ('sandboxStart' in body) this.sessions.startsFail = body['sandboxStart'] === 'fail';
    this.sessions.crash(toText(body['crashSession']));
    return ok({});
  }

  // Handles the URLs of the records and the target file.
  private document(call: Call): Reply | undefined {
    if (call.path === '/description') return { status: 200, body: this.description() };
    if (call.path === '/recording') return this.recording(call);
    if (call.path === '/viewer') return ok({});
    if (call.path !== '/live') return undefined;
    return this.livePage(call);
  }

  private recording({ query }: Call): Reply {
    const isUsed = this.has('recording opens once') && this.isOpenedAgain(`recording ${query.get('of')}`);
    return isUsed || this.has('recording not downloadable')
      ? { status: 404 }
      : { status: 200, headers: { 'content-type': 'video/mp4' }, text: '\0\0\0\u0018ftypisom' };
  }

  private livePage({ query }: Call): Reply {
    const id = query.get('of') ?? '';
    if (!this.sessions.isLatest(id) && this.has('live page of the latest session only')) return { status: 404 };
    if (this.sessions.isUnused(id) && this.has('live page needs a step')) return { status: 404 };
    if (this.has('live page leads to a sign-in page')) return { status: 302, headers: { location: '/sign-in' } };
    if (this.does('live page redirects to its viewer')) return { status: 307, headers: { location: '/viewer' } };
    // The next page would need the cookie.
    if (this.does('live page redirects with a cookie'))
      return { status: 302, headers: { location: '/sign-in', 'set-cookie': 'viewer=1' } };
    return {
      status: 200,
      headers: this.has('live page forbids frames') ? { 'x-frame-options': 'DENY' } : {},
      body: {},
    };
  }

  private description(): JsonValue {
    const version = this.has('description has another version') ? '3.1.0' : '3.0.0';
    const path = this.has('description without server') ? '' : '/api/v3';
    return { openapi: '3.1.0', info: { version }, servers: [{ url: `https://api.svc.example${path}` }] };
  }

  private authenticated(call: Call): boolean {
    const key = call.headers['x-service-api-key'];
    if (this.has('key header in capital letters not read') && call.names.includes('X-SERVICE-API-KEY')) return false;
    if (this.has('key refused') || (this.has('key refused in V4') && call.path.startsWith('/api/v4'))) return false;
    return this.isAdmitted(call) || key === fakeKey || this.isOtherProject(key);
  }

  /** Returns true if a fault admits the request, whatever its key. */
  private isAdmitted({ headers, query }: Call): boolean {
    if (this.has('no key needed')) return true;
    if (this.has('no key needed from a local address') && headers['x-forwarded-for'] === '127.0.0.1') return true;
    if (this.has('any key accepted') && headers['x-service-api-key'] !== undefined) return true;
    if (this.has('lone cookie accepted') && headers.cookie === `api_key=${fakeKey}`) return true;
    if (this.has('bearer accepted') && headers.authorization === `Bearer ${fakeKey}`) return true;
    return this.has('query key accepted') && query.get('api_key') === fakeKey;
  }

  private isOtherProject(key: string | string[] | undefined): boolean {
    return key === otherFakeKey && !this.has('other key refused');
  }

  private route(call: Call, body: JsonObject): Reply {
    if (this.has('V2 not served') && call.path.startsWith('/api/v2')) return notFound;
    if (call.method === 'GET' && this.has('fetch needs a content type'))
      return { status: 415, body: { detail: 'No type' } };
    const [, , version = '', resource = '', id, tail] = call.path.split('/');
    const place = [version, resource, ...(id === undefined ? [] : ['{id}']), ...(tail === undefined ? [] : [tail])];
    return this.routes[`${call.method} ${place.join('/')}`]?.(body, id ?? '', call) ?? notFound;
  }

  private readonly routes: Record<string, (body: JsonObject, id: string, call: Call) => Reply> = {
    'POST v2/tasks': (body, _id, call) => this.createTask(body, call),
    'GET v2/tasks': (_body, _id, call) => this.listJobs('task', 'items', call),
    'GET v2/tasks/{id}': (_body, id, call) => this.withJob(id, { call, does: 'reads' }, (job) => ok(job.look())),
    'GET v2/tasks/{id}/status': (_body, id, call) => this.withJob(id, { call, does: 'reads' }, (job) => ok(job.look())),
    'PATCH v2/tasks/{id}': (_body, id, call) => this.withJob(id, { call, does: 'ends' }, (job) => this.stopJob(job)),
    'PATCH v2/sessions/{id}': () => this.stopTaskSession(),
    'POST v4/runs': (body, _id, call) => this.createRun(body, call),
    'GET v4/runs': (_body, _id, call) => this.listJobs('run', 'runs', call),
    'GET v4/runs/{id}': (_body, id, call) => this.withJob(id, { call, does: 'reads' }, (job) => ok(job.look())),
    'GET v4/runs/{id}/status': (_body, id, call) => this.withJob(id, { call, does: 'reads' }, (job) => ok(job.look())),
    'GET v4/runs/{id}/events': (_body, id, call) => this.runEvents(id, call),
    'POST v4/runs/{id}/cancel': (_body, id, call) =>
      this.withJob(id, { call, does: 'ends' }, (job) => this.stopJob(job)),
    'POST v4/profiles': (body) => ok({ ...body, id: randomUUID() }),
    'DELETE v4/profiles/{id}': () => ({ status: 204 }),
    'POST v4/browsers': (body, _id, call) => this.createBrowser(body, call),
    'GET v4/browsers': (_body, _id, call) => this.browsers.list(readKey(call.headers)),
    'GET v4/browsers/{id}': (_body, id, call) => this.browsers.get(id, readKey(call.headers)),
    'PATCH v4/browsers/{id}': (body, id, call) => this.stopBrowser(body, id, call),
    'POST v3/sessions': (body, _id, call) =>
      this.has('V3 creation not served') ? notFound : this.sessions.create(body, readKey(call.headers)),
    'GET v3/sessions': (_body, _id, call) => this.sessions.list(readKey(call.headers), call.query),
    'GET v3/sessions/{id}': (_body, id, call) => this.sessions.fetch(id, readKey(call.headers), call.query),
    'DELETE v3/sessions/{id}': (_body, id, call) => this.sessions.remove(id, readKey(call.headers)),
    'POST v3/sessions/{id}/stop': (body, id, call) => this.sessions.stop(id, readKey(call.headers), body),
  };

  /**
   * Returns true if a call may access a resource: a resource of its own project, or any resource if the fault `leak` is
   * active.
   */
  private isOpen(id: string, { headers }: Call, leak: Fault): boolean {
    return this.owners.get(id) === readKey(headers) || this.has(leak);
  }

  private withJob(id: string, { call, does }: Access, answer: (job: FakeJob) => Reply): Reply {
    const job = this.jobs.get(id);
    if (job === undefined || !this.isOpen(id, call, `other project ${does} ${job.kind}s`)) return notFound;
    return answer(job);
  }

  private runEvents(id: string, call: Call): Reply {
    const job = this.jobs.get(id);
    if (job === undefined || !this.isOpen(id, call, 'other project reads events')) return notFound;
    if (this.has('events not served') && job.ended) return { status: 500, body: { detail: 'Internal error' } };
    const page = job.page(Number(call.query.get('after') ?? 0));
    const { events } = page;
    const isReversed = call.query.has('limit') && this.has('parts of events reversed') && Array.isArray(events);
    return ok(isReversed ? { ...page, events: events.toReversed() } : page);
  }

  private listJobs(kind: FakeJob['kind'], member: string, call: Call): Reply {
    const mine = [...this.jobs.values()].filter((job) => job.kind === kind);
    const seen = mine.filter(({ id }) => this.isOpen(id, call, `other project lists ${kind}s`));
    return ok({ [member]: seen.map((job) => job.view()) });
  }

  private stopJob(job: FakeJob): Reply {
    job.stop();
    return ok(job.view());
  }

  /**
   * Answers 404 to a request that stops the V2 session of a task, because the fake service stores no V2 sessions. With
   * the fault `browser ends with a V2 session`, also stops all browsers.
   */
  private stopTaskSession(): Reply {
    if (this.has('browser ends with a V2 session')) this.browsers.stopAll();
    return notFound;
  }

  private addJob(job: FakeJob, { headers }: Call): FakeJob {
    this.jobs.set(job.id, job);
    this.owners.set(job.id, readKey(headers));
    return job;
  }

  private createTask(body: JsonObject, call: Call): Reply {
    const shape = shapeProblems('createTask', body, this.has);
    if (!('task' in body) && this.has('V2 creation without a body fails'))
      return this.refusals.refuse('No task', ['body', 'task']);
    const level = this.isUnchecked('v2', body) ? undefined : levelProblem('v2', body, this.has);
    if (shape.length > 0) return this.refusals.details(shape);
    if (level !== undefined) {
      if (this.has('V2 refusal stops tasks')) this.stopJobs('task');
      return this.refusals.refusePair(level);
    }
    const fault = taskFault(body, this.has);
    if (fault !== undefined) return this.refusals.refuse(fault);
    this.accepted.v2 = typeof body['thinkingLevel'] === 'string';
    const { id } = this.addJob(new FakeJob('task', body['task'], this.has), call);
    return { status: 202, body: { id: this.has('task id is unknown') ? randomUUID() : id, sessionId: randomUUID() } };
  }

  private createRun(body: JsonObject, call: Call): Reply {
    const shape = shapeProblems('createRun', body, this.has);
    if (shape.length > 0) return this.refusals.details(shape);
    const problem = this.valueProblem(body);
    if (problem !== undefined) return this.refusals.refuse(problem.text, problem.loc);
    const fault = runFault(body, this.has);
    if (fault !== undefined) return this.refusals.refuse(fault);
    // No run belongs to a session, so that every named session is unknown.
    if (body['sessionId'] !== undefined) return { status: 404, body: { detail: 'Session not found' } };
    this.runRequests += 1;
    if (this.has('busy at times') && this.runRequests % 3 === 0)
      return { status: 429, body: { detail: 'Too many runs' } };
    this.accepted.v4 = isJsonObject(body['modelParams']);
    const job = this.addRun(toText(body['task']), call);
    job.country = this.chooseCountry(memberAt(body, 'browserSettings.proxyCountryCode'));
    if (this.does('spends the whole ceiling')) job.cost = toText(body['maxCostUsd'] ?? '9');
    const { id, ...rest } = { ...job.view(), ...(this.has('run id is unknown') ? { id: randomUUID() } : {}) };
    return ok(this.has('run without id') ? rest : { id: id ?? null, ...rest });
  }

  /** Returns the country from which the browser of a run sends requests. */
  private chooseCountry(code: JsonValue | undefined): string {
    if (code === null) return this.has('null keeps the managed proxy of a run') ? 'US' : 'DE';
    return code === 'us' && this.has('us is another country in a run') ? 'FR' : 'US';
  }

  /** Adds a run; with a fault, returns the earlier run with the same task instead. */
  private addRun(task: string, call: Call): FakeJob {
    const id = this.has('run with the text of an earlier run is that run') ? this.firstByText.get(task) : undefined;
    const job = this.jobs.get(toText(id)) ?? this.addJob(new FakeJob('run', task, this.has), call);
    this.firstByText.set(task, job.id);
    return job;
  }

  private valueProblem(body: JsonObject): ReturnType<typeof paramProblem> {
    const problem = this.isUnchecked('v4', body) ? undefined : paramProblem(body, this.has);
    if (problem !== undefined && this.has('V4 refusal cancels runs')) this.stopJobs('run');
    return problem;
  }

  /**
   * Returns true if an injected fault skips the validation of the level (V2) or of modelParams (V4), because the latest
   * accepted creation carried such a member too.
   */
  private isUnchecked(generation: 'v2' | 'v4', body: JsonObject): boolean {
    const { v2, v4 } = this.accepted;
    if (generation === 'v4')
      return v4 && isJsonObject(body['modelParams']) && this.has('V4 value not checked after an accepted one');
    return v2 && typeof body['thinkingLevel'] === 'string' && this.has('V2 level not checked after an accepted one');
  }

  private stopJobs(kind: FakeJob['kind']): void {
    for (const job of this.jobs.values()) if (job.kind === kind) job.stop();
  }

  private createBrowser(body: JsonObject, call: Call): Reply {
    const shape = shapeProblems('createBrowser', body, this.has);
    if (shape.length > 0) return this.refusals.details(shape);
    const reason = this.browsers.refusal(body);
    return reason === undefined ? this.browsers.create(readKey(call.headers), body) : this.refusals.refuse(reason);
  }

  private stopBrowser(body: JsonObject, id: string, call: Call): Reply {
    if (/[\s\\]/.test(call.text) && this.has('stop with white space refused'))
      return this.refusals.refuse('Not compact');
    const shape = shapeProblems('stopBrowser', body, this.has);
    if (shape.length === 0 || this.has('wrong action stops a live browser'))
      return this.browsers.stop(id, readKey(call.headers));
    if (this.has('refused action stops a browser')) this.browsers.stop(id, readKey(call.headers));
    return this.has('any action accepted') ? ok({ id }) : this.refusals.details(shape);
  }
}

/**
 * A request to the resource of another project, and what the request does. This verb is a part of the name of the fault
 * that allows the request.
 */
interface Access {
  call: Call;
  does: 'reads' | 'ends';
}

function isTaskWithoutBody({ method, path, text }: Call): boolean {
  return method === 'POST' && path === '/api/v2/tasks' && ['', 'null'].includes(text);
}

function readKey(headers: Call['headers']): string {
  const key = headers['x-service-api-key'];
  // A fault that accepts a wrong key acts for the first project.
  return key === otherFakeKey ? otherFakeKey : fakeKey;
}

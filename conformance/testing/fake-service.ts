/**
 * A deliberately small service with switchable faults: what the suite's own tests judge. It shares nothing with src and
 * knows no clock and no browser; every fetch of a session moves it one step. Never a model for a real server.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { models } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject, parseJson, textOf } from '../harness/json.ts';
import { type FakeDetail, levelProblem, paramProblem, shapeProblems } from './fake-rules.ts';
import { FakeSession } from './fake-session.ts';
import type { Fault } from './faults.ts';

/** The key that the fake service takes. */
export const fakeKey = 'svc_fake_key_of_the_tests';

/** A running fake service. */
export interface FakeService {
  url: string;
  /** Sessions that have not ended. */
  alive(): number;
  close(): Promise<void>;
}

interface Reply {
  status: number;
  body?: JsonValue;
  headers?: Record<string, string>;
}

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  text: string;
}

const notFound: Reply = { status: 404, body: { detail: 'Not Found' } };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Starts a fake service on a free port of the loopback interface; `override` replaces members of every session record. */
export async function startFakeService(broken: readonly Fault[] = [], override: JsonObject = {}): Promise<FakeService> {
  const service = new Fake(new Set(broken), override);
  const server = createServer((request, response) => void service.serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  service.url = `http://127.0.0.1:${address.port}`;
  return {
    url: service.url,
    alive: () => service.alive(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

class Fake {
  url = '';
  readonly override: JsonObject;
  private readonly faults: ReadonlySet<Fault>;
  private readonly sessions = new Map<string, FakeSession>();
  private offsetMs = 0;

  constructor(broken: ReadonlySet<Fault>, override: JsonObject) {
    this.faults = broken;
    this.override = override;
  }

  now = (): number => Date.now() + this.offsetMs;

  has = (fault: Fault): boolean => this.faults.has(fault);

  alive(): number {
    return [...this.sessions.values()].filter(({ status }) => !['stopped', 'timed_out', 'error'].includes(status))
      .length;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    const call: Call = {
      method: request.method ?? 'GET',
      path: pathname,
      query: searchParams,
      headers: request.headers,
      text: Buffer.concat(chunks).toString(),
    };
    const { status, body, headers } = this.answer(call);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    const text = body === undefined ? '' : JSON.stringify(body);
    const isList = call.method === 'GET' && call.path.endsWith('/tasks');
    response.end(isList && this.has('list is not JSON') ? `<p>${text}</p>` : text);
  }

  private answer(call: Call): Reply {
    const outside = this.outside(call);
    if (outside !== undefined) return outside;
    if (!this.authenticated(call)) return { status: 401, body: { detail: 'Expected a valid API key' } };
    const body = call.text === '' ? {} : parseJson(call.text);
    if (body === undefined && !this.has('malformed JSON accepted')) return this.refuse('The body is not valid JSON');
    return this.route(call, isJsonObject(body) ? body : {});
  }

  // What needs no key: the addresses that records carry, and the control address.
  private outside(call: Call): Reply | undefined {
    if (call.path === '/control/clock') {
      const body = parseJson(call.text);
      this.offsetMs += isJsonObject(body) ? Number(body['advanceMs']) : 0;
      return { status: 200, body: {} };
    }
    if (call.path === '/shot') {
      const expires = Number(call.query.get('expires'));
      return { status: expires !== 0 && expires < this.now() ? 403 : 200, body: {} };
    }
    if (call.path === '/description') return { status: 200, body: this.description() };
    if (call.path === '/recording') return { status: this.has('recording not downloadable') ? 404 : 200, body: {} };
    if (call.path !== '/live') return undefined;
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

  private authenticated({ headers, query, path }: Call): boolean {
    const key = headers['x-service-api-key'];
    if (this.has('key refused') || (this.has('key refused in V4') && path.startsWith('/api/v4'))) return false;
    if (this.has('no key needed')) return true;
    if (this.has('any key accepted') && key !== undefined) return true;
    if (this.has('bearer accepted') && headers.authorization === `Bearer ${fakeKey}`) return true;
    if (this.has('query key accepted') && query.get('api_key') === fakeKey) return true;
    return key === fakeKey;
  }

  private route(call: Call, body: JsonObject): Reply {
    if (this.has('V2 not served') && call.path.startsWith('/api/v2')) return notFound;
    if (call.method === 'GET' && this.has('fetch needs a content type'))
      return { status: 415, body: { detail: 'No type' } };
    const [, , version = '', resource = '', id, tail] = call.path.split('/');
    const place = [version, resource, ...(id === undefined ? [] : ['{id}']), ...(tail === undefined ? [] : [tail])];
    return this.routes[`${call.method} ${place.join('/')}`]?.(body, id ?? '') ?? notFound;
  }

  private readonly routes: Record<string, (body: JsonObject, id: string) => Reply> = {
    'POST v2/tasks': (body) => this.createTask(body),
    'GET v2/tasks': () => ({ status: 200, body: { items: [] } }),
    'PATCH v2/tasks/{id}': (_body, id) => ({ status: 200, body: { id } }),
    'POST v4/runs': (body) => this.createRun(body),
    'POST v4/runs/{id}/cancel': (_body, id) => ({ status: 200, body: { id } }),
    'POST v4/browsers': (body) => this.createBrowser(body),
    'PATCH v4/browsers/{id}': (body) => this.stopBrowser(body),
    'POST v3/sessions': (body) => (this.has('V3 creation not served') ? notFound : this.createSession(body)),
    'GET v3/sessions': () => ({
      status: 200,
      body: { sessions: [...this.sessions.values()].map((one) => one.view()) },
    }),
    'GET v3/sessions/{id}': (_body, id) => this.withSession(id, (session) => this.fetchSession(session)),
    'DELETE v3/sessions/{id}': (_body, id) => this.withSession(id, () => this.remove(id)),
    'POST v3/sessions/{id}/stop': (_body, id) => this.withSession(id, (session) => this.stopSession(session)),
  };

  private withSession(id: string, answer: (session: FakeSession) => Reply): Reply {
    const session = this.sessions.get(id);
    if (session !== undefined) return answer(session);
    if (uuid.test(id) || this.has('malformed id answers 404')) return notFound;
    return this.refuse('Expected a uuid', ['path', 'session_id']);
  }

  private fetchSession(session: FakeSession): Reply {
    return { status: this.has('fetch answers 202') ? 202 : 200, body: session.fetch() };
  }

  private stopSession(session: FakeSession): Reply {
    if (this.has('stop refused')) return { status: 405, body: { detail: 'Method Not Allowed' } };
    session.stop();
    return { status: 200, body: session.view() };
  }

  private remove(id: string): Reply {
    this.sessions.get(id)?.stop();
    this.sessions.delete(id);
    return { status: 204 };
  }

  private createSession(body: JsonObject): Reply {
    const followed = this.sessions.get(textOf(body['sessionId']));
    const checked = followed === undefined ? body : { ...body, model: followed.model };
    const problem = this.sessionProblem(checked, followed);
    if (problem !== undefined) {
      if (this.has('refusal creates a session')) this.add(new FakeSession(this, body));
      return problem;
    }
    if (followed !== undefined) return this.followUp(followed, body);
    if (this.has('creation refused')) return this.refuse('No sessions today');
    const session = this.add(new FakeSession(this, body));
    return { status: 200, body: session.view() };
  }

  private add(session: FakeSession): FakeSession {
    this.sessions.set(textOf(session.view()['id']), session);
    return session;
  }

  private sessionProblem(body: JsonObject, followed: FakeSession | undefined): Reply | undefined {
    const shape = shapeProblems('createSession', body, this.has);
    if (shape.length > 0) return this.details(shape);
    if (followed !== undefined && this.has('follow-up not validated')) return undefined;
    const level = levelProblem('v3', body, this.has);
    if (level !== undefined) return this.refusePair(level);
    const fault = this.acceptanceFault(body);
    if (followed !== undefined || fault !== undefined) return fault;
    return this.availabilityProblem(body) ?? this.levelFault(body);
  }

  private availabilityProblem(body: JsonObject): Reply | undefined {
    const model = models.v3.models.find(({ name }) => name === body['model']);
    if (model?.availability !== 'own-key' || this.has('own-key model without key')) return undefined;
    const asked = body['useOwnKey'] === true || (body['use_own_key'] === true && !this.has('snake case not read'));
    if (asked && model.provider === 'google' && !this.has('own key ignored')) return undefined;
    return this.refuse(asked ? 'No key is stored' : 'Set useOwnKey to true');
  }

  private levelFault(body: JsonObject): Reply | undefined {
    const level = body['thinkingLevel'];
    if (level === null && this.has('null level refused')) return this.refuse('thinkingLevel must not be null');
    if (level === undefined && this.has('missing level refused')) return this.refuse('thinkingLevel is required');
    return undefined;
  }

  private acceptanceFault(body: JsonObject): Reply | undefined {
    const flipped = body['model'] === 'claude-opus-4.8' && body['thinkingLevel'] === 'high';
    if (!this.has('one acceptance refused') || !flipped) return undefined;
    return this.refusePair(
      'Model "claude-opus-4.8" (provider "any") does not support thinking_level="high". Supported values: low',
    );
  }

  private followUp(session: FakeSession, body: JsonObject): Reply {
    if (this.has('follow-up refused')) return { status: 405, body: { detail: 'Method Not Allowed' } };
    const ready = session.status === 'idle' || (session.status === 'created' && this.has('created accepts a task'));
    if (!ready) return { status: 409, body: { detail: `Session is ${session.status}` } };
    const before = session.status;
    session.dispatch(body);
    return { status: 200, body: { ...session.view(), ...(before === 'created' ? { status: 'created' } : {}) } };
  }

  private createTask(body: JsonObject): Reply {
    const shape = shapeProblems('createTask', body, this.has);
    const level = levelProblem('v2', body, this.has);
    if (shape.length > 0) return this.details(shape);
    return level === undefined
      ? { status: 202, body: { id: randomUUID(), sessionId: randomUUID() } }
      : this.refusePair(level);
  }

  private createRun(body: JsonObject): Reply {
    const shape = shapeProblems('createRun', body, this.has);
    const params = paramProblem(body, this.has);
    if (shape.length > 0) return this.details(shape);
    return params === undefined
      ? { status: 200, body: { id: randomUUID(), status: 'queued', result: null } }
      : this.refuse(params);
  }

  private createBrowser(body: JsonObject): Reply {
    const shape = shapeProblems('createBrowser', body, this.has);
    return shape.length > 0
      ? this.details(shape)
      : { status: 201, body: { id: randomUUID(), cdpUrl: 'ws://127.0.0.1:1/' } };
  }

  private stopBrowser(body: JsonObject): Reply {
    const shape = this.has('any action accepted') ? [] : shapeProblems('stopBrowser', body, this.has);
    return shape.length > 0 ? this.details(shape) : { status: 200, body: { id: randomUUID() } };
  }

  private refusePair(message: string): Reply {
    return this.has('pair answers 400') ? { status: 400, body: { detail: message } } : this.refuse(message);
  }

  private refuse(message: string, loc: string[] = ['body']): Reply {
    return this.details([{ loc, msg: message, type: 'value_error' }]);
  }

  private details(details: readonly FakeDetail[]): Reply {
    if (this.has('detail is text')) return { status: 422, body: { detail: details.map(({ msg }) => msg).join('; ') } };
    const elements = details.map(({ loc, msg, type }) => ({
      loc: this.has('loc is text') ? loc.join('.') : loc,
      ...(this.has('msg missing') ? {} : { msg }),
      ...(this.has('type missing') ? {} : { type }),
    }));
    return { status: 422, body: { detail: elements } };
  }
}

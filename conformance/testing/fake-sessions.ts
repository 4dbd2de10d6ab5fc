import { models } from '#generated/rules.ts';
import { type JsonObject, isJsonObject, toText } from '../core/json.ts';
import type { FakeBrowsers } from './fake-browsers.ts';
import { type Refusals, type Reply, levelProblem, notFound, ok, shapeProblems } from './fake-rules.ts';
import { FakeSession, type FakeWorld } from './fake-session.ts';
import { unroutedModel } from './fake-target.ts';
import type { Fault } from './faults.ts';

const sessionEnds = ['stopped', 'timed_out', 'error'];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Dependencies of the sessions of a fake service. */
export interface SessionsWorld extends FakeWorld {
  refusals: Refusals;
  /** The standalone browsers, which some faults end together with a session. */
  browsers: Pick<FakeBrowsers, 'stopAll'>;
}

/**
 * A request to one session: the key, and what the request does. This verb is a part of the name of the fault that
 * allows the request to another project.
 */
interface Access {
  key: string;
  does: 'reads' | 'ends';
}

/** The V3 sessions of a fake service and their operations. */
export class FakeSessions {
  /** True if the sandbox of every new session fails to start. */
  startsFail = false;
  private readonly world: SessionsWorld;
  private readonly sessions = new Map<string, FakeSession>();
  /** For each session id, the key with which the session was created. */
  private readonly owners = new Map<string, string>();
  /** Levels with which sessions were created. */
  private readonly levels = new Set<string>();
  /** Whether the latest session was created in code mode. */
  private isCodeMode = false;

  constructor(world: SessionsWorld) {
    this.world = world;
  }

  /** Returns the number of sessions that have not ended. */
  alive(): number {
    return [...this.sessions.values()].filter(({ status }) => !sessionEnds.includes(status)).length;
  }

  /** Returns true for the id of the session that was created last. */
  isLatest(id: string): boolean {
    return [...this.sessions.keys()].at(-1) === id;
  }

  /** Returns true if no task of the session has made a step. */
  isUnused(id: string): boolean {
    return this.sessions.get(id)?.isUnused === true;
  }

  /** Ends the sandbox of a session; has no effect for an unknown id. */
  crash(id: string): void {
    this.sessions.get(id)?.lose('crash ends as timed_out');
  }

  list(key: string, query: URLSearchParams): Reply {
    if (query.get('page_size') === 'svc-word') return this.refuseSize();
    const seen = [...this.sessions.values()].filter(({ id }) => this.isOpen(id, key, 'other project lists sessions'));
    return ok({ sessions: seen.map((one) => one.listed()) });
  }

  fetch(id: string, key: string, query: URLSearchParams): Reply {
    return this.withSession(id, { key, does: 'reads' }, (session) => {
      if (query.size > 0 && this.world.does('fetch with a query is refused'))
        return this.world.refusals.refuse('No such query', ['query']);
      const record = session.fetch();
      const isRunning =
        session.status === 'idle' && query.size > 0 && this.world.has('idle session runs in a fetch with a query');
      const body = isRunning ? { ...record, status: 'running' } : record;
      return { status: this.world.has('fetch answers 202') ? 202 : 200, body };
    });
  }

  stop(id: string, key: string, { strategy }: JsonObject): Reply {
    if (isJsonObject(strategy)) return this.refuseStrategy();
    return this.withSession(id, { key, does: 'ends' }, (session) => {
      if (this.world.has('stop refused')) return { status: 405, body: { detail: 'Method Not Allowed' } };
      if (!(this.world.has('stop ignored at the start') && session.status === 'created')) session.stop();
      if (this.world.has('browser ends with a session')) this.world.browsers.stopAll();
      return ok(session.view());
    });
  }

  remove(id: string, key: string): Reply {
    return this.withSession(id, { key, does: 'ends' }, (session) => {
      if (this.world.has('browser ends with a deleted session')) this.world.browsers.stopAll();
      session.stop();
      this.sessions.delete(id);
      return { status: 204 };
    });
  }

  /** Creates a session, or sends a task to the session that the body names. */
  create(body: JsonObject, key: string): Reply {
    const followed = this.sessions.get(toText(body['sessionId']));
    if (followed !== undefined && !this.isOpen(toText(body['sessionId']), key, 'other project follows up sessions'))
      return notFound;
    const problem = this.findProblem(followed === undefined ? body : { ...body, model: followed.model }, followed);
    if (problem !== undefined) {
      if (this.world.has('refusal creates a session')) this.add(new FakeSession(this.world, body), key);
      return problem;
    }
    if (followed?.model === 'claude-opus-4.6' && this.world.has('levels of one model refused in follow-ups')) {
      const pair = `Model "claude-opus-4.6" (provider "any") does not support thinking_level="${toText(body['thinkingLevel'])}"`;
      return this.world.refusals.refusePair(`${pair}. Supported values: disabled`);
    }
    if (followed !== undefined) return this.followUp(followed, body);
    if (this.world.has('creation refused')) return this.world.refusals.refuse('No sessions today');
    const session = this.add(new FakeSession(this.world, this.withLeftMode(body)), key);
    this.levels.add(toText(body['thinkingLevel']));
    if (this.startsFail) session.lose('failed start ends as timed_out');
    return ok(session.view());
  }

  /** Returns the body of a creation; with a fault, in code mode if the session before it was in code mode. */
  private withLeftMode(body: JsonObject): JsonObject {
    const isLeft = this.isCodeMode && this.world.has('code mode stays for the next session');
    this.isCodeMode = body['codeMode'] === true;
    return isLeft ? { ...body, codeMode: true } : body;
  }

  private add(session: FakeSession, key: string): FakeSession {
    const id = toText(session.view()['id']);
    this.sessions.set(id, session);
    // A fault can change the id that a record shows.
    for (const name of [id, session.id]) this.owners.set(name, key);
    return session;
  }

  /** Returns true if a key may access a session: a session of its own project, or any session with the fault `leak`. */
  private isOpen(id: string, key: string, leak: Fault): boolean {
    return this.owners.get(id) === key || this.world.has(leak);
  }

  /** Returns true if a screenshot URL with this last part is the newest of its session. */
  isLatestShot(id: string, nonce: string): boolean {
    return this.sessions.get(id)?.latestShot === nonce;
  }

  private withSession(id: string, { key, does }: Access, answer: (session: FakeSession) => Reply): Reply {
    const session = this.sessions.get(id);
    if (session !== undefined && this.isOpen(id, key, `other project ${does} sessions`)) return answer(session);
    const isCapital = /[A-F]/.test(id) && this.world.has('capital id answers 422');
    if ((uuid.test(id) && !isCapital) || this.world.has('malformed id answers 404')) return notFound;
    const part = this.world.has('loc of a path parameter is in the body') ? 'body' : 'path';
    return this.world.refusals.refuse('Expected a uuid', [part, 'session_id']);
  }

  private findProblem(body: JsonObject, followed: FakeSession | undefined): Reply | undefined {
    const shape = shapeProblems('createSession', body, this.world.has);
    if (shape.length > 0) return this.world.refusals.details(shape);
    if (followed !== undefined && this.isUnvalidated(body)) return undefined;
    const level = levelProblem('v3', body, this.world.has);
    const isKnown = this.levels.has(toText(body['thinkingLevel']));
    const isCached = followed === undefined && isKnown && this.world.has('level is accepted for all models after one');
    if (level !== undefined && !isCached) return this.world.refusals.refusePair(level);
    const fault = this.acceptanceFault(body);
    if (followed !== undefined || fault !== undefined) return fault;
    return this.availabilityProblem(body) ?? this.levelFault(body);
  }

  private isUnvalidated(body: JsonObject): boolean {
    const isOwn = body['useOwnKey'] === true && this.world.has('follow-up with an own key not validated');
    return isOwn || this.world.has('follow-up not validated');
  }

  private availabilityProblem(body: JsonObject): Reply | undefined {
    const model = models.v3.models.find(({ name }) => name === body['model']);
    if (this.isUnrouted(body)) return this.world.refusals.refuse('No provider serves the model');
    if (model?.availability !== 'own-key' || this.world.has('own-key model without key')) return undefined;
    const asked =
      (body['useOwnKey'] === true && !this.world.has('camel case not read')) ||
      (body['use_own_key'] === true && !this.world.has('snake case not read'));
    if (asked && model.provider === 'google' && !this.world.has('own key ignored')) return undefined;
    return this.world.refusals.refuse(asked ? 'No key is stored' : 'Set useOwnKey to true');
  }

  private isUnrouted(body: JsonObject): boolean {
    const isSelectable = this.world.has('unrouted model selectable');
    return body['model'] === unroutedModel && body['useOwnKey'] !== true && !isSelectable;
  }

  private levelFault(body: JsonObject): Reply | undefined {
    const { refusals } = this.world;
    const level = body['thinkingLevel'];
    if (level === null && this.world.has('null level refused'))
      return refusals.refuse('thinkingLevel must not be null');
    const isWanted = body['model'] === 'glm-5.2' && this.world.has('glm wants a level');
    if (level === undefined && (isWanted || this.world.has('missing level refused')))
      return refusals.refuse('thinkingLevel is required');
    return undefined;
  }

  private acceptanceFault(body: JsonObject): Reply | undefined {
    const flipped = body['model'] === 'claude-opus-4.8' && body['thinkingLevel'] === 'high';
    if (!this.world.has('one acceptance refused') || !flipped) return undefined;
    return this.world.refusals.refusePair(
      'Model "claude-opus-4.8" (provider "any") does not support thinking_level="high". Supported values: low',
    );
  }

  private followUp(session: FakeSession, body: JsonObject): Reply {
    if (this.world.has('level of an alias refused') && session.model.startsWith('svc-') && 'thinkingLevel' in body)
      return this.world.refusals.refuse('Not supported', ['body', 'thinkingLevel']);
    if (this.world.has('follow-up refused')) return { status: 405, body: { detail: 'Method Not Allowed' } };
    if (this.world.does('task ends before a follow-up')) session.endTask();
    const before = session.status;
    const ready = before === 'idle' || (before === 'created' && this.world.has('created accepts a task'));
    if (!ready) return { status: 409, body: { detail: `Session is ${before}` } };
    if (session.isUnused && this.world.has('first task refused'))
      return { status: 409, body: { detail: 'No task ran before' } };
    session.dispatch(body);
    return ok({ ...session.answered(), ...(before === 'created' ? { status: 'created' } : {}) });
  }

  private refuseSize(): Reply {
    const text = 'Expected a number';
    const isBare = this.world.has('detail of a wrong page size is an object');
    if (isBare) return { status: 422, body: { detail: { msg: text } } };
    return this.world.refusals.refuse(text, ['query', 'page_size']);
  }

  private refuseStrategy(): Reply {
    const text = 'Unknown strategy';
    const isText = this.world.has('detail of a wrong strategy is text');
    if (isText) return { status: 422, body: { detail: text } };
    return this.world.refusals.refuse(text, ['body', 'strategy']);
  }
}

import type { JsonObject } from '#lib/json.ts';
import type { CdpClient, CdpListener, CdpMessage, ReplyWish } from './cdp-client.ts';
import type { CdpPipe } from './cdp-pipe.ts';
import { HeldTargets } from './held-targets.ts';
import { addressed, type RawMessage } from './raw-message.ts';

/** State of an attached client. */
interface Attached {
  readonly rootSession: string;
  readonly listener: CdpListener;
  /** Number of unanswered commands, including requests that are held until other clients are ready. */
  waiting: number;
  open: boolean;
}

/** A command of a client that the browser has not answered, with the values needed to deliver the reply. */
interface WaitingClient {
  readonly client: Attached;
  readonly id: number | undefined;
  readonly sessionId: string;
  /** How the reply is handled; null for no special treatment. */
  readonly wish: ReplyWish;
}

/** Pending command of the multiplexer itself. */
interface WaitingOwn {
  readonly reply: (message: CdpMessage) => void;
  readonly gone: (reason: string) => void;
}

/** Chromium's error for a command to an unknown session. */
const sessionNotFound = { code: -32_001, message: 'Session with given id not found.' };
/** DevTools command that resumes a paused target, for all clients of the browser. */
const goOn = 'Runtime.runIfWaitingForDebugger';
/** Error reply for a command that is too large for the browser after its ids were rewritten. */
const commandTooLarge = { code: -32_600, message: 'The command is too large for the browser.' };

/**
 * Lets several independent DevTools clients share one debugging pipe. Command ids are renumbered, because every client
 * counts from 1. A DevTools session belongs to the client that attached it, so no client can send commands to a session
 * of another client.
 */
export class CdpMux {
  readonly #pipe: CdpPipe;
  readonly #waiting = new Map<number, WaitingClient | WaitingOwn>();
  readonly #owners = new Map<string, Attached>();
  readonly #held = new HeldTargets<Attached>();
  #lastId = 0;
  #goneReason: string | null = null;

  constructor(pipe: CdpPipe) {
    this.#pipe = pipe;
    pipe.listen(
      (message) => this.#route(message),
      (message) => this.#handOn(message),
    );
    void pipe.closed.then((reason) => this.#gone(reason));
  }

  /** Attaches a client with a root session of its own; rejects when the browser has ended. */
  async attach(listener: CdpListener): Promise<CdpClient> {
    const { sessionId } = await this.command('Target.attachToBrowserTarget');
    if (typeof sessionId !== 'string') throw new TypeError('Target.attachToBrowserTarget gave no session id.');
    const client: Attached = { rootSession: sessionId, listener, waiting: 0, open: true };
    this.#owners.set(sessionId, client);
    if (listener.guards !== undefined) this.#held.guard(client, listener.guards);
    return {
      send: (message, wish = null) => this.#send(client, message, wish),
      ready: () => this.#pipe.ready(),
      unanswered: () => client.waiting,
      close: () => this.#close(client),
    };
  }

  /**
   * Sends a command of the service itself, on the root session of the pipe, and returns its result. Rejects with the
   * browser's error, and when the browser ends.
   */
  command(method: string, params: JsonObject = {}): Promise<JsonObject> {
    if (this.#goneReason !== null) return Promise.reject(new Error(this.#goneReason));
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const reply = (message: CdpMessage): void =>
      message.error === undefined
        ? resolve(message.result ?? {})
        : reject(new Error(`${method}: ${JSON.stringify(message.error)}`));
    this.#write({ method, params, id: this.#expect({ reply, gone: (reason) => reject(new Error(reason)) }) });
    return promise;
  }

  /**
   * Registers a command whose reply is expected, and returns its id for the browser. Also counts it for its client, if
   * any.
   */
  #expect(waiting: WaitingClient | WaitingOwn): number {
    const id = (this.#lastId += 1);
    this.#waiting.set(id, waiting);
    if ('client' in waiting) waiting.client.waiting += 1;
    return id;
  }

  #write(message: CdpMessage & { id: number }): void {
    // Answered asynchronously, like every command: a client need not expect a reply inside its own call.
    if (!this.#pipe.send(message)) queueMicrotask(() => this.#answer({ id: message.id, error: commandTooLarge }));
  }

  #send(client: Attached, message: CdpMessage, wish: ReplyWish): void {
    if (!client.open) return;
    const sessionId = message.sessionId ?? client.rootSession;
    const waiting: WaitingClient = { client, id: message.id, sessionId, wish };
    if (this.#owners.get(sessionId) !== client) refuse(waiting);
    else if (message.method === goOn) this.#goOn(message, waiting);
    else this.#pass(message, waiting);
  }

  #pass(message: CdpMessage, waiting: WaitingClient): void {
    const { method = '', params = {}, unreadParams } = message;
    const command = { id: this.#expect(waiting), method, params, sessionId: waiting.sessionId };
    this.#write(unreadParams === undefined ? command : { ...command, unreadParams });
  }

  /**
   * Forwards a client's request to resume a paused target, once every client that guards the target has prepared it.
   */
  #goOn(message: CdpMessage, waiting: WaitingClient): void {
    const { client, sessionId } = waiting;
    const counted = (settle: () => void) => (): void => {
      client.waiting -= 1;
      settle();
    };
    client.waiting += 1;
    const forward = counted(() => this.#pass(message, waiting));
    this.#held.goOn({ client, sessionId, forward, refuse: counted(() => refuse(waiting)) });
  }

  #answer(message: CdpMessage & { id: number }): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id);
    if ('reply' in waiting) return waiting.reply(message);
    waiting.client.waiting -= 1;
    replyTo(waiting, message);
  }

  /**
   * Forwards a message to its client unparsed, or drops it, depending on what the client's listener permits. Returns
   * false when the message must be parsed.
   */
  #handOn(message: RawMessage): boolean {
    return message.id === null
      ? this.#handOnEvent(message, message.method ?? '')
      : this.#handOnReply(message, message.id);
  }

  #handOnReply(message: RawMessage, ours: number): boolean {
    const waiting = this.#waiting.get(ours);
    if (waiting === undefined || !('client' in waiting)) return false;
    const { client, id, sessionId, wish } = waiting;
    const { unread } = client.listener;
    if (unread === undefined || wish !== null || id === undefined || sessionId !== message.sessionId) return false;
    this.#waiting.delete(ours);
    client.waiting -= 1;
    unread(addressed(message, { id, isRoot: sessionId === client.rootSession }));
    return true;
  }

  #handOnEvent(message: RawMessage, method: string): boolean {
    const owner = this.#owners.get(message.sessionId);
    if (owner?.listener.drops?.(method, message.sessionId) === true) return true;
    if (owner?.listener.unread === undefined) return false;
    owner.listener.unread(addressed(message, { id: null, isRoot: message.sessionId === owner.rootSession }));
    return true;
  }

  #route(message: CdpMessage): void {
    const { id } = message;
    if (id !== undefined) return this.#answer({ ...message, id });
    const owner = message.sessionId === undefined ? undefined : this.#owners.get(message.sessionId);
    this.#followSessions(message, owner);
    if (owner?.open === true) owner.listener.message(asSeenBy(owner, message));
  }

  /** Records which client owns a session, after the event that attaches or detaches this session. */
  #followSessions(message: CdpMessage, owner: Attached | undefined): void {
    const session = message.params?.['sessionId'];
    if (typeof session !== 'string') return;
    if (message.method === 'Target.attachedToTarget' && owner !== undefined) {
      this.#owners.set(session, owner);
      this.#held.attached(session, attachedTarget(message));
    }
    if (message.method !== 'Target.detachedFromTarget') return;
    this.#held.detached(session);
    const detached = this.#owners.get(session);
    this.#owners.delete(session);
    this.#refuseWaiting(session);
    if (detached?.rootSession === session) this.#end(detached, 'The browser detached this client.');
  }

  /** Answers the pending commands of an ended session with an error, because Chromium does not answer them any more. */
  #refuseWaiting(session: string): void {
    for (const [id, waiting] of this.#waiting) {
      if (!('client' in waiting) || waiting.sessionId !== session) continue;
      this.#waiting.delete(id);
      waiting.client.waiting -= 1;
      refuse(waiting);
    }
  }

  async #close(client: Attached): Promise<void> {
    if (!client.open) return;
    this.#forget(client);
    const detached = this.command('Target.detachFromTarget', { sessionId: client.rootSession });
    // The reply only confirms; at the end of the browser the client is detached as well.
    await Promise.race([detached, this.#pipe.closed]);
  }

  #forget(client: Attached): void {
    client.open = false;
    for (const [session, owner] of this.#owners) {
      if (owner !== client) continue;
      this.#owners.delete(session);
      this.#held.detached(session);
    }
    this.#held.left(client);
    for (const [id, waiting] of this.#waiting)
      if ('client' in waiting && waiting.client === client) this.#waiting.delete(id);
    client.waiting = 0;
  }

  #end(client: Attached, reason: string): void {
    if (!client.open) return;
    this.#forget(client);
    client.listener.closed(reason);
  }

  #gone(reason: string): void {
    this.#goneReason = reason;
    for (const client of new Set(this.#owners.values())) this.#end(client, reason);
    for (const waiting of this.#waiting.values()) if ('gone' in waiting) waiting.gone(reason);
    this.#waiting.clear();
  }
}

/**
 * Answers a command of a client with an error for an unknown session. The answer is asynchronous, because a client need
 * not expect it inside `send`.
 */
function refuse(waiting: WaitingClient): void {
  queueMicrotask(() => replyTo(waiting, { error: sessionNotFound }));
}

/** Returns the target of an attach event. */
function attachedTarget({ params }: CdpMessage): { targetId: string; type: string } {
  const info = params?.['targetInfo'];
  const member = (name: string): string =>
    typeof info === 'object' && info !== null ? String(Reflect.get(info, name)) : '';
  return { targetId: member('targetId'), type: member('type') };
}

/**
 * Delivers a reply to the client that sent the command, with the client's own id and session. If `wish` is a function,
 * the client receives its result.
 */
function replyTo({ client, id, sessionId, wish }: WaitingClient, answer: CdpMessage): void {
  const { id: _ours, ...rest } = typeof wish === 'function' ? wish(answer) : answer;
  const reply = { sessionId, ...rest, ...(id === undefined ? {} : { id }) };
  if (client.open) client.listener.message(asSeenBy(client, reply));
}

/**
 * Removes the session id from a message of the client's root session. The client sees this session as its connection,
 * without an id.
 */
function asSeenBy(client: Attached, message: CdpMessage): CdpMessage {
  if (message.sessionId !== client.rootSession) return message;
  const { sessionId: _root, ...rest } = message;
  return rest;
}

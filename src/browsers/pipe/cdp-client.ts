import { isJsonObject, type JsonObject } from '#lib/json.ts';

/** Listener of a client of the multiplexer. */
export interface CdpListener {
  /** A reply to one of the client's commands, or an event of one of its sessions. */
  message(message: CdpMessage): void;
  /**
   * Receives replies and events (except of targets) as JSON bytes instead of `message`, for forwarding without parsing.
   * @defaultValue all messages are parsed
   */
  readonly unread?: (bytes: Buffer) => void;
  /**
   * Whether an event of anything but targets is dropped before it is read; called with its name and session.
   * @defaultValue all are delivered
   */
  readonly drops?: (method: string, sessionId: string) => boolean;
  /**
   * Target types that stay paused until this client has prepared them. The client attaches to new targets automatically
   * and resumes them (`Runtime.runIfWaitingForDebugger`) afterwards.
   * @defaultValue none
   */
  readonly guards?: readonly string[];
  /** The client's root session is gone: the browser ended, or detached it. Called at most once, never after `close`. */
  closed(reason: string): void;
}

/** What is to become of a reply: it is read, or rewritten before the client gets it. Its id may be that of other commands too. */
export type ReplyWish = 'read' | ((reply: CdpMessage) => CdpMessage) | null;

/** One client of the multiplexer: it sees the browser as if it had a DevTools connection of its own. */
export interface CdpClient {
  /**
   * Sends a command with the client's own id and, for a child session, its session id. With a wish its reply comes as a message in
   * any case. @defaultValue none
   */
  send(message: CdpMessage, wish?: ReplyWish): void;
  /**
   * Returns null while the browser keeps up; otherwise a promise that resolves when it has caught up. Clients with much
   * data wait for it.
   */
  ready(): Promise<void> | null;
  /** How many of this client's commands the browser has not answered. */
  unanswered(): number;
  /** Detaches the client with everything it attached; the browser and its tabs live on. Idempotent. */
  close(): Promise<void>;
}

/**
 * One message of the Chrome DevTools Protocol: a command (`id`, `method`), a reply (`id`, `result` or `error`)
 * or an event (`method`). `sessionId` is absent on the connection's own root session.
 */
export interface CdpMessage {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: JsonObject;
  /** Unparsed params of a command as JSON; they replace `params`. */
  unreadParams?: Buffer;
  result?: JsonObject;
  error?: JsonObject;
}

/** Reads one message from its JSON text; throws a SyntaxError or TypeError when the text is not a JSON object. */
export function parseCdpMessage(text: string): CdpMessage {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError('A DevTools message must be a JSON object.');
  return value;
}

/** Returns the unparsed-message callback of a listener, for wrappers that inspect no such message. */
export function handingOn({ unread }: CdpListener): Pick<CdpListener, 'unread'> {
  return unread === undefined ? {} : { unread };
}

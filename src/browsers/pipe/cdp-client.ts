import { isJsonObject, type JsonObject } from '#lib/json.ts';

/** Listener of a client of the multiplexer. */
export interface CdpListener {
  /** Receives a reply to one of the client's commands, or an event of one of the client's sessions. */
  message(message: CdpMessage): void;
  /**
   * Receives replies and events (except of targets) as JSON bytes instead of `message`, for forwarding without parsing.
   * @defaultValue all messages are parsed
   */
  readonly unread?: (bytes: Buffer) => void;
  /**
   * Returns whether an event is dropped unread, by its name and session; target events are always delivered.
   * @defaultValue all events are delivered
   */
  readonly drops?: (method: string, sessionId: string) => boolean;
  /**
   * Types of new targets that stay paused until this client has prepared them. The client attaches to new targets
   * automatically and resumes them (`Runtime.runIfWaitingForDebugger`) afterwards.
   * @defaultValue none
   */
  readonly guards?: readonly string[];
  /**
   * Called when the client's root session ends: the browser has ended, or has detached the client. Called at most once,
   * never after `close`.
   */
  closed(reason: string): void;
}

/**
 * Treatment of the reply to one command: `read` parses it, a function rewrites it before the client receives it, null
 * does neither. The treatment is passed with the command, because other commands may have the same id.
 */
export type ReplyWish = 'read' | ((reply: CdpMessage) => CdpMessage) | null;

/** A client of the multiplexer, which behaves like a DevTools connection of its own. */
export interface CdpClient {
  /**
   * Sends a command with the client's own id and, for a child session, its session id. `wish` says how the reply is
   * treated.
   * @defaultValue null
   */
  send(message: CdpMessage, wish?: ReplyWish): void;
  /**
   * Returns null while the browser reads commands fast enough; otherwise a promise that resolves when the browser has
   * caught up or ended. Clients that send much data wait for this promise.
   */
  ready(): Promise<void> | null;
  /** Returns the number of this client's unanswered commands. */
  unanswered(): number;
  /** Detaches the client and its sessions; the browser and its tabs continue. Idempotent. */
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

/** Parses a message; throws a SyntaxError or TypeError when the text is not a JSON object. */
export function parseCdpMessage(text: string): CdpMessage {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError('A DevTools message must be a JSON object.');
  return value;
}

/**
 * Returns an object with the `unread` callback of a listener, for another listener that wraps it. Returns an empty
 * object if the listener has no `unread` callback.
 * @param change - modifies the bytes of each message in place
 */
export function forwardUnread(
  { unread }: CdpListener,
  change: (bytes: Buffer) => void = () => undefined,
): Pick<CdpListener, 'unread'> {
  if (unread === undefined) return {};
  return {
    unread(bytes) {
      change(bytes);
      unread(bytes);
    },
  };
}

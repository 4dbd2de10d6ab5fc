import { isJsonObject, type JsonObject } from '#lib/json.ts';

/** Listener of a client of the multiplexer. */
export interface CdpListener {
  /** Receives a reply to one of the client's commands, or an event of one of the client's sessions. */
  message(message: CdpMessage): void;
  /**
   * Receives most replies and events as JSON bytes, instead of `message`, to forward them without parsing. Target
   * events, and replies to commands with a `wish`, still go to `message`.
   * @defaultValue all messages are parsed
   */
  readonly unread?: (bytes: Buffer) => void;
  /**
   * Returns whether to drop an unparsed event, by its name and session. Target events are always delivered.
   * @defaultValue all events are delivered
   */
  readonly drops?: (method: string, sessionId: string) => boolean;
  /**
   * Types of targets, such as `page`, that this client prepares before they run. New targets of these types stay paused
   * until the client resumes them (`Runtime.runIfWaitingForDebugger`). The client must attach to new targets
   * automatically.
   * @defaultValue none
   */
  readonly guards?: readonly string[];
  /**
   * Called when the client's connection ends, because the browser has ended or has detached the client. Called at most
   * once, and never after `close`.
   */
  closed(reason: string): void;
}

/**
 * How the reply to one command is handled. `read`: it is parsed. A function: it is parsed, and the client receives the
 * result of the function. Null: it may be forwarded unparsed.
 */
export type ReplyWish = 'read' | ((reply: CdpMessage) => CdpMessage) | null;

/**
 * One of several DevTools clients that share the debugging pipe of a browser. Each client behaves like a separate
 * connection.
 */
export interface CdpClient {
  /**
   * Sends a command with an id of the client's choice and, for a child session, its session id. `wish` states how the
   * reply is handled.
   * @defaultValue null for `wish`
   */
  send(message: CdpMessage, wish?: ReplyWish): void;
  /**
   * Returns null while the browser reads commands fast enough. Otherwise returns a promise that resolves when the
   * browser has caught up or ended. Clients that send much data wait for this promise.
   */
  ready(): Promise<void> | null;
  /** Returns the number of this client's unanswered commands. */
  unanswered(): number;
  /** Detaches the client and its sessions; the browser and its tabs continue. Idempotent. */
  close(): Promise<void>;
}

/**
 * One message of the Chrome DevTools Protocol: a command (`id`, `method`), a reply (`id`, `result` or `error`) or an
 * event (`method`). A message of the client's root session has no `sessionId`.
 */
export interface CdpMessage {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: JsonObject;
  /** Params of a command as JSON text that was not parsed; sent in place of `params`. */
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
 * Returns the `unread` callback of a listener as an object, which can be spread into a wrapping listener. Returns an
 * empty object if the listener has no such callback.
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

import { isJsonObject, type JsonObject } from '#lib/json.ts';

/** What a client of the multiplexer is told. */
export interface CdpListener {
  /** A reply to one of the client's commands, or an event of one of its sessions. */
  message(message: CdpMessage): void;
  /**
   * A reply, or an event of anything but targets, as bytes of JSON in the place of `message`: for who hands it on unread.
   * @defaultValue all come as messages
   */
  readonly unread?: (bytes: Buffer) => void;
  /**
   * Whether an event of anything but targets is dropped before it is read; called with its name and session.
   * @defaultValue all are delivered
   */
  readonly drops?: (method: string, sessionId: string) => boolean;
  /**
   * Types of targets that nobody lets go on before this client has, which attaches to every new one by itself and lets it go on
   * (`Runtime.runIfWaitingForDebugger`) when it has told it what it has to. @defaultValue none
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
  /** Null while the browser keeps up with its clients; else settles when it has caught up. Whoever sends much waits for it. */
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
  /** Params of a command as JSON that nobody has read; they count in the place of `params`. */
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

/** The part of a listener that takes messages unread, where it does; whoever wraps a listener and looks at no such message spreads it. */
export function handingOn({ unread }: CdpListener): Pick<CdpListener, 'unread'> {
  return unread === undefined ? {} : { unread };
}

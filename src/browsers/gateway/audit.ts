/*
 * Audit log of the gateway: method, session and outcome of each client message, never values. The gateway writes one
 * line per message; `svc serve --audit` opens the file. Logging never delays a client: lines that the disk does not
 * accept in time are dropped and counted.
 */

import type { JsonObject } from '#lib/json.ts';

/**
 * Outcome of a client's DevTools message. `rewritten`: the browser receives a changed command. `refused`: the gateway
 * answers the command with an error. `answered`: the gateway answers the command with an empty result, such as a resize
 * without effect, or Browser.close, after which it disconnects the client.
 */
export type Outcome = 'passed' | 'rewritten' | 'refused' | 'answered' | 'malformed';

/** Logged parts of a command, without values. */
export interface AuditedCommand {
  /** Untrusted text of the client. */
  readonly method: string;
  /** DevTools session id of the command, as sent by the client; absent on the root session. */
  readonly sessionId?: string;
}

/** Audit log of one client. */
export interface ClientAudit {
  /** Logs a message; `command` is absent for malformed messages. */
  message(outcome: Outcome, command?: AuditedCommand): void;
  /** Logs the end of the connection with its WebSocket close code (RFC 6455). Called once. */
  left(code: number): void;
}

/** Audit log of a gateway. */
export interface Audit {
  /** Logs that a client connected to a browser from a network address, and returns the log of this client. */
  joined(client: { readonly browser: string; readonly from: string }): ClientAudit;
}

/** Audit log that records nothing. */
export const noAudit: Audit = { joined: () => ({ message: () => undefined, left: () => undefined }) };

/** Dependencies of an audit log. */
export interface AuditDeps {
  /** Writes one line. */
  readonly write: (line: JsonObject) => void;
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Returns a new client id. */
  readonly newId: () => string;
}

/** Creates an audit log with one line per message, and lines for joining and leaving clients. */
export function createAudit({ write, now, newId }: AuditDeps): Audit {
  return {
    joined({ browser, from }) {
      const client = newId();
      const counts: Record<Outcome, number> = { passed: 0, rewritten: 0, refused: 0, answered: 0, malformed: 0 };
      const note = (event: string, rest: JsonObject): void =>
        write({ at: new Date(now()).toISOString(), event, browser, client, ...rest });
      note('joined', { from });
      return {
        message(outcome, command) {
          counts[outcome] += 1;
          note('message', { ...(command === undefined ? {} : shown(command)), outcome });
        },
        left: (code) => note('left', { code, ...counts }),
      };
    },
  };
}

function shown({ method, sessionId }: AuditedCommand): JsonObject {
  return { method: shownMethod(method), ...(sessionId === undefined ? {} : { session: shownSession(sessionId) }) };
}

/** Placeholder for text that may be a secret value. */
const notShown = '(not shown)';

const methodPattern = /^[A-Za-z]{1,40}\.[A-Za-z]{1,60}$/;

/** Format of Chromium's session ids. */
const sessionPattern = /^[0-9A-F]{32}$/;

/** Returns a method name for the log; a placeholder if the name is malformed, because it may then be a secret. */
function shownMethod(method: string): string {
  return methodPattern.test(method) ? method : notShown;
}

/** Returns a well-formed session id, or a placeholder. */
function shownSession(session: string): string {
  return sessionPattern.test(session) ? session : notShown;
}

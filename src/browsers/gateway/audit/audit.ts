/** What became of one message of a client; `answered` is Browser.close, which is answered and detaches the client. */
export type Outcome = 'passed' | 'rewritten' | 'refused' | 'answered' | 'malformed';

/** What of a client's command is noted: what was asked for, never with which values. */
export interface AuditedCommand {
  /** Text of the client, which may be anything. */
  readonly method: string;
  /** The session that it is for, as the client names it. Absent on the root session. */
  readonly sessionId?: string;
}

/** The notes on one client. */
export interface ClientAudit {
  /** A message came; `command` is absent when it was none. */
  message(outcome: Outcome, command?: AuditedCommand): void;
  /** The connection is over, with that code of RFC 6455. Called once. */
  left(code: number): void;
}

/** The notes on all clients of a gateway. */
export interface Audit {
  /** A client joined the browser of that id, from that network address. */
  joined(client: { readonly browser: string; readonly from: string }): ClientAudit;
}

/** For a gateway on which nobody keeps notes. */
export const noAudit: Audit = { joined: () => ({ message: () => undefined, left: () => undefined }) };

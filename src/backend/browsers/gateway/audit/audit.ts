/** What became of one message of a client; `answered` is Browser.close, which is answered and detaches the client. */
export type Outcome = 'passed' | 'rewritten' | 'refused' | 'answered' | 'malformed';

/** One message of a client as it is noted: what was asked for, never with which values. */
export interface AuditedMessage {
  /** Text of the client, which may be anything. Absent when the message is no command. */
  readonly method?: string;
  /** The session that it is for, as the client names it. Absent on the root session. */
  readonly sessionId?: string;
  readonly outcome: Outcome;
}

/** The notes on one client. */
export interface ClientAudit {
  message(message: AuditedMessage): void;
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

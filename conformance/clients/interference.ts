import type { Answer, Forwarded } from './forward.ts';
import type { JsonValue } from '../core/json.ts';
import type { ClientExchange } from './recording.ts';
import type { Fault } from './trial.ts';

/** Content codings that the proxy applies. */
export type Coding = 'br' | 'deflate' | 'gzip';

/** How the proxy sends a response: delay, loss, chunking and compression. */
export interface Delivery {
  readonly delayMs: number;
  /** True if the proxy closes the connection instead of sending an answer. */
  readonly isLost: boolean;
  readonly inPieces: boolean;
  /** Coding of the body; undefined for a body without compression. */
  readonly coding: Coding | undefined;
}

/** A recorded request without its response. */
export type RecordedRequest = Pick<
  ClientExchange,
  'atMs' | 'host' | 'method' | 'target' | 'headers' | 'body' | 'kind' | 'operation'
>;

/** Changes that a proxy makes to requests and responses. */
export interface Interference {
  /** Counts a request. Returns the fault of the trial that applies to this request; undefined if none does. */
  strike(asked: RecordedRequest): Fault | undefined;
  /**
   * Returns an answer that replaces the answer of the service; `hang` for no answer; undefined to forward the request.
   */
  instead(
    exchange: ClientExchange,
    hosts: Readonly<Record<ClientExchange['host'], string>>,
  ): Promise<Answer | 'hang' | undefined>;
  /**
   * Returns the request for the service. Repairs mistakes of the program that a separate rule judges, so that these
   * mistakes do not violate other rules.
   */
  repaired(exchange: ClientExchange): Forwarded;
  /**
   * Returns the answer of the service. If the service waits for its clock before it answers, for example to start a
   * browser, advances this clock until the answer arrives.
   */
  whileAnswering(exchange: ClientExchange, answer: Promise<Answer>): Promise<Answer>;
  /** Returns the JSON of an answer as changed by the trial and by the fault of the exchange. */
  edited(exchange: ClientExchange, json: JsonValue): JsonValue;
  delivery(exchange: ClientExchange): Delivery;
  /** Text that is appended to the query of every signed URL; empty for none. */
  readonly addressMark: string;
  /**
   * Returns after how many data chunks from the program the proxy closes a websocket; undefined to leave it open.
   * `socket` is the index of the websocket. Called once for each websocket.
   */
  dropsAfter(socket: number): number | undefined;
}

/** Delivery without delay, in one piece. */
export const plainDelivery: Delivery = { delayMs: 0, isLost: false, inPieces: false, coding: undefined };

/** Interference that changes no request and no response. */
export const noInterference: Interference = {
  strike: () => undefined,
  instead: () => Promise.resolve(undefined),
  repaired: ({ method, target, headers, body }) => ({ method, target, headers, body }),
  whileAnswering: (_exchange, answer) => answer,
  edited: (_exchange, json) => json,
  delivery: () => plainDelivery,
  addressMark: '',
  dropsAfter: () => undefined,
};

/** Returns an answer with the given status and headers, and with a JSON body. */
export function jsonAnswer({ status, headers }: Pick<Answer, 'status' | 'headers'>, json: JsonValue): Answer {
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(json)),
  };
}

import type { Answer, Forwarded } from './forward.ts';
import type { JsonValue } from '../core/json.ts';
import type { ClientExchange } from './recording.ts';
import type { Fault } from './trial.ts';

/** How an answer is sent. */
export interface Delivery {
  readonly delayMs: number;
  /** The connection is cut in place of an answer. */
  readonly isLost: boolean;
  readonly inPieces: boolean;
  readonly isCompressed: boolean;
}

/** A request before anything is known of its answer. */
export type Asked = Pick<
  ClientExchange,
  'atMs' | 'host' | 'method' | 'target' | 'headers' | 'body' | 'kind' | 'operation'
>;

/** What a proxy does to the requests and answers that pass through it. */
export interface Interference {
  /** Counts a request, and finds the fault that strikes it. */
  strike(asked: Asked): Fault | undefined;
  /** An answer that the service is not asked for; `hang` for none at all. */
  instead(
    exchange: ClientExchange,
    hosts: Readonly<Record<ClientExchange['host'], string>>,
  ): Promise<Answer | 'hang' | undefined>;
  /** The request as the service gets it: what a rule of its own judges must not fail the rest. */
  repaired(exchange: ClientExchange): Forwarded;
  /** Settles when the service has answered; moves its clock on where the answer waits for it. */
  whileAnswering(exchange: ClientExchange, answer: Promise<Answer>): Promise<Answer>;
  /** The JSON of an answer, changed. */
  edited(exchange: ClientExchange, json: JsonValue): JsonValue;
  delivery(exchange: ClientExchange): Delivery;
  /** True when the connection is to be dropped after so many messages of the program; asked once for each. */
  dropsAfter(socket: number): number | undefined;
}

/** Sends an answer at once and whole. */
export const plainDelivery: Delivery = { delayMs: 0, isLost: false, inPieces: false, isCompressed: false };

/** Lets everything pass as it is. */
export const noInterference: Interference = {
  strike: () => undefined,
  instead: () => Promise.resolve(undefined),
  repaired: ({ method, target, headers, body }) => ({ method, target, headers, body }),
  whileAnswering: (_exchange, answer) => answer,
  edited: (_exchange, json) => json,
  delivery: () => plainDelivery,
  dropsAfter: () => undefined,
};

/** The answer with another JSON body. */
export function jsonAnswer({ status, headers }: Pick<Answer, 'status' | 'headers'>, json: JsonValue): Answer {
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(json)),
  };
}

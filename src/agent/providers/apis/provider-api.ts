import type { JsonObject } from '#lib/json.ts';
import type { ModelReply, ModelRequest, ModelUsage } from '../../model/model-call.ts';
import type { Fault } from '../fault.ts';

/** One model as its wire asks for it. */
export interface WireTarget {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** The provider's own name of the model. */
  readonly model: string;
  /** The reasoning controls of the task in the shape of the provider's request; empty leaves the provider's own. */
  readonly controls: JsonObject;
  /** Whether thinking goes back to the provider in the next request (contract 4, mapping: not in V2). */
  readonly replaysThinking: boolean;
  /** Whether the model hands out reasoning that it wants to see again. */
  readonly reasons: boolean;
  /** Whether it takes an output schema in the provider's own way. */
  readonly nativeOutput: boolean;
}

/** What an answer says. Usage is null where the provider left it out. */
export type Reading =
  | { readonly ok: true; readonly reply: Omit<ModelReply, 'usage'>; readonly usage: ModelUsage | null }
  | { readonly ok: false; readonly kind: Fault['kind']; readonly usage: ModelUsage | null };

/** What sends for a provider's own client: each request of its own through the `fetch` that it is given. */
export interface ProviderApi {
  /** Sends one request, never again by itself. What the client makes of the answer is not used. */
  send(request: ModelRequest, transport: typeof fetch): Promise<void>;
  /** Reads the answer, which may hold anything. */
  read(answer: JsonObject): Reading;
}

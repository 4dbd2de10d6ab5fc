import type { JsonObject } from '#lib/json.ts';
import type { ModelReply, ModelRequest, ModelUsage } from '../../model/model-call.ts';
import type { Fault } from '../exchange.ts';

/** Input of an adapter: access to a provider, and a model with its reasoning controls and abilities. */
export interface WireTarget {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Model name of the provider. */
  readonly model: string;
  /** Reasoning controls of the task in the provider's format; empty for the provider's defaults. */
  readonly controls: JsonObject;
  /** Whether a request contains the thinking of earlier replies; false for V2 (contract 4, mapping). */
  readonly replaysThinking: boolean;
  /** Whether the model returns reasoning that it expects in the next request. */
  readonly reasons: boolean;
  /** Whether the provider supports output schemas natively. */
  readonly nativeOutput: boolean;
}

/** Parsed content of a provider response. Usage is null when the provider omits it. */
export type Reading =
  | { readonly ok: true; readonly reply: Omit<ModelReply, 'usage'>; readonly usage: ModelUsage | null }
  | { readonly ok: false; readonly kind: Fault['kind']; readonly usage: ModelUsage | null };

/** Adapter of a provider's API. The provider's SDK sends every request through the `transport` of `send`. */
export interface ProviderApi {
  /**
   * Sends one request without retries. The caller reads the response from `transport`; the result of the SDK is
   * discarded.
   */
  send(request: ModelRequest, transport: typeof fetch): Promise<void>;
  /** Reads an untrusted response. */
  read(answer: JsonObject): Reading;
}

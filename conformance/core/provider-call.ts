import type { JsonObject } from './json.ts';

/** Request formats of providers that the stub understands. */
export const wireFamilies = ['responses', 'chat', 'messages', 'google'] as const;

/** One of the request formats. */
export type WireFamily = (typeof wireFamilies)[number];

/** One request that reached the stub, without secrets. */
export interface ProviderCall {
  /** Number of requests that reached the stub before this request. */
  index: number;
  family: WireFamily;
  /** Path without query. */
  path: string;
  /** Model name in the body or path of the request. */
  model: string;
  /** Identifier of the provider key in the request, the same for equal keys; empty if the request carried no key. */
  key: string;
  /** Provider whose stored key the request carries, according to the target file; null for any other key. */
  ownKeyOf: string | null;
  /** The body with long texts, such as images, shortened. */
  body: JsonObject;
  /** Reasons why the provider would refuse the request; empty if it would accept it. */
  breaches: string[];
}

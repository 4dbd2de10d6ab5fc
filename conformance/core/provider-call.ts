import type { JsonObject } from './json.ts';

/** Families of requests that the stub understands. */
export const wireFamilies = ['responses', 'chat', 'messages', 'google'] as const;

/** One of the families. */
export type WireFamily = (typeof wireFamilies)[number];

/** One request that reached the stub, without anything that is secret. */
export interface ProviderCall {
  /** Place among all that reached the stub, from 0. */
  index: number;
  family: WireFamily;
  /** Path without query. */
  path: string;
  /** Model as the request names it, in its body or its path. */
  model: string;
  /** The same word for the same key; empty where the request carried none. */
  key: string;
  /** Provider whose stored key of the caller it carries, as the target file tells it; null for any other key. */
  ownKeyOf: string | null;
  /** Long texts are cut, images are left out. */
  body: JsonObject;
  /** Why the provider would refuse it; empty where it would not. */
  breaches: string[];
}

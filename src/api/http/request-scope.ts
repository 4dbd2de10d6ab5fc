import { AsyncLocalStorage } from 'node:async_hooks';

/** Knows which request a piece of work belongs to, however deep it is. */
export interface RequestScope {
  /** Does a piece of work, and all that it sets going, as a part of that request. */
  run(requestId: string, work: () => void): void;
  /** The request that the work of this moment belongs to; undefined outside of any. */
  current(): string | undefined;
}

/** A scope of its own. */
export function createRequestScope(): RequestScope {
  const storage = new AsyncLocalStorage<string>();
  return { run: (requestId, work) => storage.run(requestId, work), current: () => storage.getStore() };
}

/** Tells when work may begin that nobody waits for. */
export interface Afterwards {
  /** Settles some time after the service listens; never where it does not. */
  readonly begun: Promise<void>;
  /** The service listens. */
  listens(): void;
}

/** Whoever has waited for a service asks it at once: what it gets ready for others must not make that request wait. */
const GRACE_MS = 500;

/** Whose wait ends with what is owned. */
export function createAfterwards(owned: AsyncDisposableStack): Afterwards {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  return {
    begun,
    listens() {
      const timer = setTimeout(resolve, GRACE_MS);
      owned.defer(() => clearTimeout(timer));
    },
  };
}

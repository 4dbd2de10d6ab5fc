/** A call of something native that stands behind a mask. */
export interface MaskedCall {
  readonly self: unknown;
  readonly args: readonly unknown[];
  /** Calls what is behind the mask, as it was called. */
  native(): unknown;
}

/** Puts functions of ours before native ones so that a page sees the native ones. */
export interface Mask {
  /** The object at a path from the global object, or null. */
  at(...path: readonly string[]): object | null;
  /** Puts `act` before a method; without effect where there is none. */
  method(owner: object | null, name: string, act: (call: MaskedCall) => unknown): void;
  /** Puts `read` before a getter; without effect where there is none. */
  getter(owner: object | null, name: string, read: (call: MaskedCall) => unknown): void;
  /** The same function; its text says that it is native. */
  opaque<Given extends object>(given: Given): Given;
}

/**
 * Makes the tools of the other functions of this folder. Runs in the page, from its source text, so it is complete in itself.
 * A proxy before a native function keeps its name, length and receiver, and its text names no source, also when it is asked
 * from another realm. What is used later is kept from the start, before a page can replace it.
 */
export function createMask(): Mask {
  const { apply, defineProperty, getOwnPropertyDescriptor, get } = Reflect;
  const { create } = Object;
  const ProxyOf = Proxy;
  const isObject = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) || typeof value === 'function';
  // Without a prototype: what a page adds to all objects is no trap of ours.
  const before = <Native extends Function>(native: Native, act: (call: MaskedCall) => unknown): Native => {
    const traps: ProxyHandler<Native> = create(null);
    traps.apply = (target, self: unknown, args: unknown[]) =>
      act({ self, args, native: () => apply(target, self, args) });
    return new ProxyOf(native, traps);
  };
  return {
    at(...path) {
      let found: unknown = globalThis;
      for (const name of path) found = isObject(found) ? get(found, name) : undefined;
      return isObject(found) ? found : null;
    },
    method(owner, name, act) {
      const found = owner === null ? undefined : getOwnPropertyDescriptor(owner, name);
      if (owner === null || typeof found?.value !== 'function') return;
      defineProperty(owner, name, { ...found, value: before(found.value, act) });
    },
    getter(owner, name, read) {
      const found = owner === null ? undefined : getOwnPropertyDescriptor(owner, name);
      if (owner === null || found?.get === undefined) return;
      defineProperty(owner, name, { ...found, get: before(found.get, read) });
    },
    opaque: (given) => new ProxyOf(given, create(null)),
  };
}

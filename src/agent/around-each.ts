/** Wraps the call of a method with that name; may skip the call. */
export type Around = (method: string, call: () => Promise<unknown>) => Promise<unknown>;

/**
 * Returns a proxy of an object and its nested objects that passes each method call to `around`. For objects whose
 * methods are all asynchronous; methods that are added later are included.
 */
export function aroundEach<T extends object>(target: T, around: Around): T {
  return new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name);
      if (typeof member === 'object' && member !== null) return aroundEach(member, around);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> =>
        around(String(name), async () => Reflect.apply(member, of, given));
    },
  });
}

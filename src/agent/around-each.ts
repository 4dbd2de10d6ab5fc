/** Makes a call of a method, of that name, or does not. */
export type Around = (method: string, call: () => Promise<unknown>) => Promise<unknown>;

/**
 * Returns the same object, and all that it holds, with each call of a method in the hands of `around`. For objects whose methods are all
 * asynchronous; a method that is added to them later is covered as well.
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

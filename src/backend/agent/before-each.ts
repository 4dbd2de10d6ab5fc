/**
 * The same object, and all that it holds, with a check before each call of a method, by its name: what the check throws, the call rejects with.
 * For objects whose methods are all asynchronous; one that is added to them later is checked as well.
 */
export function beforeEach<T extends object>(target: T, check: (method: string) => void): T {
  return new Proxy(target, {
    get(of, name) {
      const member: unknown = Reflect.get(of, name);
      if (typeof member === 'object' && member !== null) return beforeEach(member, check);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]): Promise<unknown> => {
        check(String(name));
        return Reflect.apply(member, of, given);
      };
    },
  });
}

import type { Mask } from './create-mask.ts';

/**
 * Keeps a page from noticing that somebody reads its console: a DevTools client that does makes V8 write down the stack of every
 * error that is printed, and pages can hook that (`Error.prepareStackTrace`). While something is printed there is no such hook.
 * Runs in the page, from its source text, so it is complete in itself.
 */
export function quietConsole(mask: Mask): void {
  const { defineProperty, deleteProperty, getOwnPropertyDescriptor, has, ownKeys } = Reflect;
  const hook = 'prepareStackTrace';
  const errors = Error;
  const owner = mask.at('console');
  if (owner === null) return;
  for (const name of ownKeys(owner)) {
    if (typeof name !== 'string') continue;
    mask.method(owner, name, (call) => {
      if (!has(errors, hook)) return call.native();
      const found = getOwnPropertyDescriptor(errors, hook);
      // Without effect where a page has forbidden it, which shows only that page what it wanted to know.
      if (!defineProperty(errors, hook, { value: undefined, configurable: true, enumerable: false, writable: true }))
        return call.native();
      try {
        return call.native();
      } finally {
        if (found === undefined) deleteProperty(errors, hook);
        else defineProperty(errors, hook, found);
      }
    });
  }
}

import type { BrowserHost } from './host.ts';

const reason = 'This process runs no browsers: another one of its service does.';

/** No host: of a process that only answers requests. */
export function createAbsentHost(): BrowserHost {
  return {
    kind: 'none',
    launch: async () => Promise.reject(new Error(reason)),
    figures: () => ({ running: 0, waiting: 0, ready: 0 }),
    rescue: async () => undefined,
    openEncoder: async () => Promise.reject(new Error(reason)),
    close: async () => undefined,
  };
}

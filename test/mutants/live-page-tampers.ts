import { isJsonObject } from '#lib/json.ts';
import type { Given, Seen, Tamper } from './mutant.ts';

/** Makes live view URLs lead through the proxy of the mutant, and changes the responses of live views. */
export function livePages(change: (seen: Seen, given: Given) => Partial<Given> | undefined): Tamper {
  return {
    answer(seen, given) {
      if (seen.url.startsWith('/live/')) return change(seen, given);
      const { body } = given;
      if (!isJsonObject(body) || typeof body['liveUrl'] !== 'string') return undefined;
      const liveUrl = body['liveUrl'].replace(/^http:\/\/[^/]+/, `http://${seen.headers['host'] ?? ''}`);
      return { body: { ...body, liveUrl } };
    },
  };
}

/** Tamper of a server whose live view page forbids embedding in a frame. */
export const notFramable: Tamper = livePages((_seen, { headers }) => ({
  headers: { ...headers, 'x-frame-options': 'DENY' },
}));

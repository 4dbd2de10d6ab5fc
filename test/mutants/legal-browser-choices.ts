import { isJsonObject } from '#lib/json.ts';
import type { Choice, Tamper } from './mutant.ts';

const creation = '/api/v4/browsers';

/**
 * Changes fetched records of a stopped browser: they show the cost that `price` returns, and a proxy cost of 0. The
 * arguments of `price` are the number of fetches that have shown the browser as stopped, and its timeout in minutes (60
 * if not set).
 */
function costsByLook(price: (looks: number, minutes: number) => string): () => Tamper {
  return () => {
    const looks = new Map<string, number>();
    const minutes = new Map<string, number>();
    return {
      answer(seen, { status, body }) {
        if (!isJsonObject(body) || status >= 300) return undefined;
        const id = String(body['id']);
        const timeout = isJsonObject(seen.body) ? seen.body['timeout'] : undefined;
        if (typeof timeout === 'number') minutes.set(id, timeout);
        if (seen.method !== 'GET' || !seen.url.startsWith(`${creation}/`) || body['status'] !== 'stopped')
          return undefined;
        const count = (looks.get(id) ?? 0) + 1;
        looks.set(id, count);
        return { body: { ...body, proxyCost: '0', browserCost: price(count, minutes.get(id) ?? 60) } };
      },
    };
  };
}

/** Shows costs of 0 for a browser in the first two fetches that show it as stopped. */
function entersCosts(): Tamper {
  const looks = new Map<string, number>();
  return {
    answer({ method, url }, { body }) {
      if (method !== 'GET' || !url.startsWith(`${creation}/`) || !isJsonObject(body) || body['status'] !== 'stopped')
        return undefined;
      const count = (looks.get(url) ?? 0) + 1;
      looks.set(url, count);
      return count < 3 ? { body: { ...body, proxyCost: '0', browserCost: '0' } } : undefined;
    },
  };
}

/** Refuses the creation of a browser with the companion's member `timeout`, as a service without this member does. */
const withoutTimeout: Tamper = {
  request: (seen) =>
    seen.url === creation && isJsonObject(seen.body) && 'timeout' in seen.body
      ? { body: { proxyCountryCode: 'none' } }
      : undefined,
  answer: (seen) =>
    seen.url === creation && isJsonObject(seen.body) && 'timeout' in seen.body
      ? { status: 422, body: { detail: [{ loc: ['body', 'timeout'], msg: 'is not known', type: 'extra' }] } }
      : undefined,
};

const unclocked = {
  server: 'scripted',
  only: ['V4-BROWSER-06', 'V4-BROWSER-07'],
  targetFile: (text: string) => text.replace(/^control: .*\n/m, ''),
} as const;

/** Choices about standalone browsers that the contract leaves open. */
export const legalBrowserChoices: readonly Choice[] = [
  {
    ...unclocked,
    name: 'refunds of browsers that follow the stop',
    tamper: costsByLook((looks, minutes) => (looks < 3 ? ((minutes * 0.02) / 60).toFixed(6) : '0.000333')),
  },
  {
    ...unclocked,
    name: 'costs of browsers that are entered after the stop',
    tamper: costsByLook((looks) => (looks < 3 ? '0' : '0.000333')),
  },
  { name: 'late costs, judged with a clock', server: 'scripted', only: ['V4-BROWSER-06'], tamper: entersCosts },
  { name: 'browsers without a timeout', server: 'scripted', only: ['browsers'], tamper: withoutTimeout },
];

import { randomUUID } from 'node:crypto';
import { isJsonObject } from '#lib/json.ts';
import type { Mutant, Tamper } from '../mutant.ts';
import { at, readBody, both, isAt, queries, rows, says, told, turns, wants } from '../operation-tampers.ts';

const base = { server: 'scripted', only: ['browser-views'] } as const;
const [browsers, one] = ['/api/v4/browsers', '/api/v4/browsers/*'];
const create = at('POST', browsers);
const list = at('GET', browsers);
const get = at('GET', one);
const stop = at('PATCH', one);
const downloads = at('GET', `${one}/downloads`);

/** After a second stop of a browser, shows a later end time in its fetched records. */
function endsAgain(): Tamper {
  const stops = new Map<string, number>();
  return {
    answer(seen, { body }) {
      if (isAt(stop, seen)) stops.set(seen.url, (stops.get(seen.url) ?? 0) + 1);
      const again = isAt(get, seen) && (stops.get(seen.url) ?? 0) > 1;
      return again ? { body: { ...(body as object), finishedAt: '2099-01-01T00:00:00.000Z' } } : undefined;
    },
  };
}

/** Servers whose browsers violate rules of the companion. */
export const browserViewMutants: readonly Mutant[] = [
  {
    ...base,
    id: 'browser-view-timeout-charged',
    breaks: 'A stopped browser costs its whole timeout.',
    target: 'BROWSER-VIEW-18',
    tamper: told(get, (record) =>
      record['status'] === 'stopped'
        ? {
            ...record,
            browserCost: String(Date.parse(String(record['timeoutAt'])) - Date.parse(String(record['startedAt']))),
          }
        : record,
    ),
  },
  {
    ...base,
    id: 'browser-view-proxy-without-host',
    breaks: 'A custom proxy without a host is accepted.',
    target: 'BROWSER-VIEW-16',
    tamper: wants(create, ({ customProxy }) =>
      isJsonObject(customProxy) && !('host' in customProxy) ? { customProxy: undefined } : {},
    ),
  },
  {
    ...base,
    id: 'browser-view-total-of-all',
    breaks: 'totalItems of a list with two filters counts ten browsers more.',
    target: 'BROWSER-VIEW-12',
    mayAlso: ['BROWSER-VIEW-03', 'BROWSER-VIEW-04'],
    tamper: told(
      at('GET', browsers, ({ url }) => url.includes('filterBy') && url.includes('metadata')),
      (body) => ({ ...body, totalItems: Number(body['totalItems']) + 10 }),
    ),
  },
  {
    ...base,
    id: 'browser-view-time-fixed',
    breaks: 'Every browser has a timeout of an hour.',
    target: 'BROWSER-VIEW-01',
    tamper: wants(
      at('POST', browsers, (seen) => readBody(seen)['timeout'] === 7),
      () => ({ timeout: 60 }),
    ),
  },
  {
    ...base,
    id: 'browser-view-time-clamped',
    breaks: 'A timeout above the maximum is shortened instead of refused.',
    target: 'BROWSER-VIEW-02',
    tamper: wants(create, ({ timeout }) => (Number(timeout) > 240 ? { timeout: 240 } : {})),
  },
  {
    ...base,
    id: 'browser-view-time-422',
    breaks: 'A timeout above the maximum is refused with 422.',
    target: 'BROWSER-VIEW-02',
    tamper: turns(create, 403, { status: 422 }),
  },
  {
    ...base,
    id: 'browser-view-filter-ignored',
    breaks: 'The list of browsers ignores filterBy.',
    target: 'BROWSER-VIEW-03',
    mayAlso: ['BROWSER-VIEW-04'],
    tamper: queries(list, 'filterBy', () => undefined),
  },
  {
    ...base,
    id: 'browser-view-page-size',
    breaks: 'A page of browsers states a different page size than requested.',
    target: 'BROWSER-VIEW-04',
    tamper: says(list, { pageSize: 10 }),
  },
  {
    ...base,
    id: 'browser-view-labels-lost',
    breaks: 'A browser does not show its labels.',
    target: 'BROWSER-VIEW-05',
    tamper: says(get, { metadata: {} }),
  },
  {
    ...base,
    id: 'browser-view-labels-cut',
    breaks: 'Labels after the tenth are dropped.',
    target: 'BROWSER-VIEW-06',
    tamper: wants(
      at('POST', browsers, (seen) => 'label10' in ((readBody(seen)['metadata'] ?? {}) as object)),
      () => ({ metadata: {} }),
    ),
  },
  {
    ...base,
    id: 'browser-view-ends-again',
    breaks: 'A second stop of a browser changes the time of its end.',
    target: 'BROWSER-VIEW-07',
    tamper: endsAgain,
  },
  {
    ...base,
    id: 'browser-view-always-finished',
    breaks: 'An active browser has a time of its end.',
    target: 'BROWSER-VIEW-08',
    tamper: says(create, { finishedAt: '2026-11-01T09:00:00.000Z' }),
  },
  {
    ...base,
    id: 'browser-view-address-stays',
    breaks: 'A stopped browser shows its CDP URL.',
    target: 'BROWSER-VIEW-08',
    tamper: told(get, (body) => ({ ...body, cdpUrl: body['cdpUrl'] ?? 'ws://127.0.0.1:1/devtools/browser/gone' })),
  },
  {
    ...base,
    id: 'browser-view-of-session',
    breaks: 'A standalone browser belongs to an agent session.',
    target: 'BROWSER-VIEW-09',
    tamper: rows(list, 'items', (items) => items.map((item) => ({ ...item, agentSessionId: randomUUID() }))),
  },
  {
    ...base,
    id: 'browser-view-unknown-text',
    breaks: 'An unknown browser is answered with a different error text.',
    target: 'BROWSER-VIEW-10',
    tamper: turns(get, 404, { body: { detail: 'Browser not found' } }),
  },
  {
    ...base,
    id: 'browser-view-label-filter-one',
    breaks: 'The list of browsers filters by the first label only.',
    target: 'BROWSER-VIEW-12',
    tamper: queries(list, 'metadata', (label) => label),
  },
  {
    ...base,
    id: 'browser-view-label-filter-ignored',
    breaks: 'The list of browsers ignores labels.',
    target: 'BROWSER-VIEW-12',
    tamper: queries(list, 'metadata', () => undefined),
  },
  {
    ...base,
    id: 'browser-view-screen-unbounded',
    breaks: 'A browser accepts a screen of any height.',
    target: 'BROWSER-VIEW-11',
    tamper: wants(create, ({ browserScreenHeight }) =>
      Number(browserScreenHeight) > 3456 ? { browserScreenHeight: 3456 } : {},
    ),
  },
  {
    ...base,
    id: 'browser-view-agent-ignored',
    breaks: 'The list of browsers ignores agentSessionId.',
    target: 'BROWSER-VIEW-13',
    tamper: queries(list, 'agentSessionId', () => undefined),
  },
  {
    ...base,
    id: 'browser-view-downloads-invented',
    breaks: 'A browser lists a download that it never made.',
    target: 'BROWSER-VIEW-14',
    tamper: says(downloads, { files: [{ path: 'a.txt', size: 1, lastModified: '2026-01-01T00:00:00.000Z' }] }),
  },
  {
    ...base,
    id: 'browser-view-downloads-clamped',
    breaks: 'A limit of downloads above the maximum is lowered instead of refused.',
    target: 'BROWSER-VIEW-15',
    tamper: queries(downloads, 'limit', (limit) => String(Math.min(100, Number(limit)))),
  },
  {
    ...base,
    id: 'browser-view-downloads-unknown',
    breaks: 'The downloads of an unknown browser are an empty list.',
    target: 'BROWSER-VIEW-15',
    tamper: turns(downloads, 404, { status: 200, body: { files: [], nextCursor: null, hasMore: false } }),
  },
  {
    ...base,
    id: 'browser-view-proxy-port',
    breaks: 'A browser accepts a proxy with an invalid port.',
    target: 'BROWSER-VIEW-16',
    tamper: wants(create, ({ customProxy }) =>
      isJsonObject(customProxy) && Number(customProxy['port']) > 65_535
        ? { customProxy: { ...customProxy, port: 65_535 } }
        : {},
    ),
  },
  {
    ...base,
    id: 'browser-view-form-403',
    breaks: 'An upload form for an unknown browser is refused with 403.',
    target: 'BROWSER-VIEW-17',
    tamper: turns(at('POST', '/api/v2/files/browsers/*/presigned-url'), 404, { status: 403 }),
  },
  {
    ...base,
    id: 'browser-view-form-closed',
    breaks: 'An upload form for a browser accepts no file.',
    target: 'BROWSER-VIEW-17',
    tamper: { ...turns(at('POST', '/upload-forms'), 200, { status: 403 }), addresses: true },
  },
];

/** Conforming variants, for which no check may fail. */
export const legalBrowserViews: readonly Omit<Mutant, 'target'>[] = [
  {
    ...base,
    id: 'browser-view-legal',
    breaks: 'A second stop is refused, and records have additional members.',
    tamper: () => {
      const stops = new Set<string>();
      return both(says(get, { later: true }), {
        answer: (seen) => {
          if (!isAt(stop, seen)) return undefined;
          const again = stops.has(seen.url);
          stops.add(seen.url);
          return again ? { status: 409, body: { detail: 'The browser has stopped' } } : undefined;
        },
      });
    },
  },
];

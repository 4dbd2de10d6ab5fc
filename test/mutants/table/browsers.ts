import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { expectObject, parseJsonObject } from '../../../tools/generate/parse.ts';
import { otherKey, testKey } from '../../support/start-backend.ts';
import type { Given, Mutant, Seen, Tamper } from '../mutant.ts';
import { at, rows } from '../operation-tampers.ts';
import { omit, sent } from '../tampers.ts';

const creation = '/api/v4/browsers';

function isCreation(seen: Seen): boolean {
  return seen.method === 'POST' && seen.url === creation;
}

function isOne(seen: Seen, method: string): boolean {
  return seen.method === method && seen.url.startsWith(`${creation}/`);
}

function refusal(msg: string): Partial<Given> {
  return { status: 422, body: { detail: [{ loc: ['body', 'proxyCountryCode'], msg, type: 'value_error' }] } };
}

/** Refuses each creation of a browser whose body meets a condition, and creates no browser. */
function refuses(what: (body: JsonObject) => boolean): Tamper {
  const refused = (seen: Seen): boolean => isCreation(seen) && isJsonObject(seen.body) && what(seen.body);
  return {
    // The good server receives an invalid request, so that it creates no browser.
    request: (seen) => (refused(seen) ? { body: { proxyCountryCode: 'none' } } : undefined),
    answer: (seen) => (refused(seen) ? refusal('not today') : undefined),
  };
}

/** Changes the answer to a successful creation. */
function launched(change: (record: JsonObject) => JsonObject): Tamper {
  return {
    answer: (seen, { status, body }) =>
      isCreation(seen) && status === 201 && isJsonObject(body) ? { body: change(body) } : undefined,
  };
}

/** Shows a growing cost for stopped browsers: one cent for each record that was shown so far, of any browser. */
function growingCost(): Tamper {
  let looks = 0;
  return shown((record) => {
    looks += 1;
    return record['status'] === 'stopped' ? { ...record, browserCost: (looks / 100).toFixed(2) } : record;
  });
}

/** Shows a cost of 0 for a browser that was stopped more than once. */
function refundsAgain(): Tamper {
  const stops = new Map<string, number>();
  const fetched = shown((record) =>
    (stops.get(String(record['id'])) ?? 0) > 1 ? { ...record, browserCost: '0' } : record,
  );
  return {
    answer(seen, given) {
      const id = seen.url.slice(creation.length + 1);
      if (isOne(seen, 'PATCH') && given.status === 200) stops.set(id, (stops.get(id) ?? 0) + 1);
      return fetched.answer?.(seen, given);
    },
  };
}

function isKeylessStop(seen: Seen): boolean {
  return isOne(seen, 'PATCH') && seen.headers['x-service-api-key'] === undefined && !seen.url.includes('?');
}

/**
 * Applies a stop of an unknown id to another browser, but answers 404. The other browser is the latest that was created
 * with the country us.
 */
function stopsLatest(): Tamper {
  const ids: string[] = [];
  let latest: string | undefined;
  const isUnknown = (seen: Seen): boolean =>
    isOne(seen, 'PATCH') &&
    JSON.stringify(seen.body) === '{"action":"stop"}' &&
    !ids.some((id) => seen.url.endsWith(id));
  return {
    request: (seen) => (isUnknown(seen) && latest !== undefined ? { url: `${creation}/${latest}` } : undefined),
    answer(seen, { status, body }) {
      if (isCreation(seen) && status === 201 && isJsonObject(body)) {
        ids.push(String(body['id']));
        if (isJsonObject(seen.body) && seen.body['proxyCountryCode'] === 'us') latest = ids.at(-1);
      }
      return isUnknown(seen) ? { status: 404, body: { detail: 'Session not found' } } : undefined;
    },
  };
}

/** Changes every browser record that a fetch or a list shows. */
function shown(change: (record: JsonObject) => JsonObject): Tamper {
  return {
    answer(seen, { status, body }) {
      if (seen.method !== 'GET' || !seen.url.startsWith(creation) || status !== 200 || !isJsonObject(body))
        return undefined;
      if (!Array.isArray(body['items'])) return { body: change(body) };
      return { body: { ...body, items: body['items'].map((item) => (isJsonObject(item) ? change(item) : item)) } };
    },
  };
}

/** Executes selected requests of the other project as requests of the first project. */
function leaks(which: (seen: Seen) => boolean): Tamper {
  return {
    request: (seen) =>
      seen.headers['x-service-api-key'] === otherKey && which(seen)
        ? { headers: { ...seen.headers, 'x-service-api-key': testKey } }
        : undefined,
  };
}

/** Answers the stop of a browser with the browser's record, and does not stop the browser. */
function idleStop(): Tamper {
  const stopped = (seen: Seen): boolean =>
    isOne(seen, 'PATCH') && isJsonObject(seen.body) && seen.body['action'] === 'stop';
  return { request: (seen) => (stopped(seen) ? { method: 'GET', body: '' } : undefined) };
}

const document = parseJsonObject(readFileSync('generated/contract/v4.json', 'utf8'), 'generated/contract/v4.json');
const codes = countriesIn(document);
const noStop = ['V4-BROWSER-05', 'V4-BROWSER-18', 'V4-BROWSER-20'] as const;

function countriesIn(contract: JsonObject): readonly string[] {
  const schemas = expectObject(expectObject(contract['components'], 'components')['schemas'], 'schemas');
  const words: unknown = expectObject(schemas['ProxyCountryCode'], 'ProxyCountryCode')['enum'];
  return Array.isArray(words) ? words.map(String) : [];
}

/** Servers that create, show and stop standalone browsers wrongly. */
export const browserMutants: readonly Mutant[] = [
  {
    id: 'browser-country-needed',
    breaks: 'A browser is created only with a country.',
    server: 'scripted',
    target: 'V4-BROWSER-09',
    mayAlso: ['V4-BROWSER-08'],
    tamper: refuses((body) => !('proxyCountryCode' in body)),
  },
  {
    id: 'browser-not-launched',
    breaks: 'No creation of a browser is accepted.',
    server: 'scripted',
    target: 'V4-BROWSER-08',
    mayAlso: ['V4-BROWSER-09', 'V4-BROWSER-12', 'V4-BROWSER-23'],
    tamper: refuses(() => true),
  },
  {
    id: 'browser-us-refused',
    breaks: 'The country us is refused.',
    server: 'scripted',
    target: 'V4-BROWSER-23',
    tamper: refuses((body) => body['proxyCountryCode'] === 'us'),
  },
  {
    id: 'browser-null-refused',
    breaks: 'The country null is refused.',
    server: 'scripted',
    target: 'V4-BROWSER-23',
    tamper: refuses((body) => body['proxyCountryCode'] === null),
  },
  {
    id: 'browser-countries-refused',
    breaks: 'Listed countries other than us are refused.',
    server: 'scripted',
    target: 'V4-BROWSER-12',
    tamper: refuses(({ proxyCountryCode: code }) => typeof code === 'string' && code !== 'us' && codes.includes(code)),
  },
  {
    id: 'browser-one-country-refused',
    breaks: 'One listed country is refused.',
    server: 'scripted',
    target: 'V4-BROWSER-12',
    tamper: refuses((body) => body['proxyCountryCode'] === 'kp'),
  },
  {
    id: 'browser-territory-refused',
    breaks: 'The listed country aq is refused, with the whole body as location.',
    server: 'scripted',
    target: 'V4-BROWSER-12',
    tamper: {
      answer: (seen, { body }) =>
        isCreation(seen) && isJsonObject(seen.body) && seen.body['proxyCountryCode'] === 'aq' && isJsonObject(body)
          ? { status: 422, body: { detail: [{ loc: ['body'], msg: 'not today', type: 'value_error' }] } }
          : undefined,
    },
  },
  {
    id: 'browser-any-country',
    breaks: 'A country that is not listed is accepted.',
    server: 'scripted',
    target: 'V4-BROWSER-13',
    tamper: sent(creation, (body) =>
      typeof body['proxyCountryCode'] === 'string' && !codes.includes(body['proxyCountryCode'])
        ? omit(body, 'proxyCountryCode')
        : body,
    ),
  },
  {
    id: 'browser-without-id',
    breaks: 'The answer to a creation has no id.',
    server: 'scripted',
    target: 'V4-BROWSER-14',
    mayAlso: ['V4-BROWSER-16'],
    tamper: launched((record) => omit(record, 'id')),
  },
  {
    id: 'browser-stop-answers-another',
    breaks: 'The stop of a browser answers with the record of the browser that was stopped first.',
    server: 'scripted',
    target: 'V4-BROWSER-20',
    tamper: () => {
      let first: JsonObject | undefined;
      return {
        answer(seen, { status, body }) {
          if (!isOne(seen, 'PATCH') || status >= 300 || !isJsonObject(body)) return undefined;
          first ??= body;
          return { body: first };
        },
      };
    },
  },
  {
    id: 'browser-without-address',
    breaks: 'The answer to a creation has no cdpUrl.',
    server: 'scripted',
    target: 'V4-BROWSER-15',
    mayAlso: ['V4-BROWSER-16', 'SVC-02'],
    tamper: launched((record) => omit(record, 'cdpUrl')),
  },
  {
    id: 'browser-null-address',
    breaks: 'The cdpUrl of a new browser is null.',
    server: 'scripted',
    target: 'SVC-02',
    mayAlso: ['V4-BROWSER-15', 'V4-BROWSER-16'],
    tamper: launched((record) => ({ ...record, cdpUrl: null })),
  },
  {
    id: 'browser-dead-address',
    breaks: 'The cdpUrl of a new browser refuses connections.',
    server: 'scripted',
    target: 'V4-BROWSER-17',
    mayAlso: ['V4-BROWSER-08', 'V4-BROWSER-15', 'SVC-03'],
    tamper: launched((record) => ({ ...record, cdpUrl: 'ws://127.0.0.1:9/devtools/browser/nobody' })),
  },
  {
    id: 'browser-records-without-address',
    breaks: 'The record of a running browser has no cdpUrl.',
    server: 'scripted',
    target: 'V4-BROWSER-16',
    tamper: shown((record) => omit(record, 'cdpUrl')),
  },
  {
    id: 'browser-other-id',
    breaks: 'The stop operation does not accept the id of a new browser.',
    server: 'scripted',
    target: 'V4-BROWSER-05',
    mayAlso: ['V4-BROWSER-15', 'V4-BROWSER-19', ...noStop],
    tamper: launched((record) => ({ ...record, id: randomUUID() })),
  },
  {
    id: 'browser-stop-by-name',
    breaks: 'The stop operation accepts another identifier than the id of the creation.',
    server: 'scripted',
    target: 'V4-BROWSER-20',
    mayAlso: noStop,
    tamper: {
      request: (seen) =>
        isOne(seen, 'PATCH') ? { url: seen.url.replace(/[0-9a-f]{12}$/, '000000000000') } : undefined,
    },
  },
  {
    id: 'browser-stop-without-effect',
    breaks: 'The stop operation answers 200 and stops nothing.',
    server: 'scripted',
    target: 'V4-BROWSER-18',
    mayAlso: ['V4-BROWSER-19'],
    tamper: idleStop(),
  },
  {
    id: 'browser-stays-active',
    breaks: 'The record of a stopped browser still says that it runs.',
    server: 'scripted',
    target: 'V4-BROWSER-18',
    tamper: shown((record) => ({ ...record, status: 'active' })),
  },
  {
    id: 'browser-any-action',
    breaks: 'PATCH with any action stops a live browser.',
    server: 'scripted',
    target: 'V4-BROWSER-21',
    mayAlso: ['V4-BROWSER-25'],
    tamper: { request: (seen) => (isOne(seen, 'PATCH') ? { body: { action: 'stop' } } : undefined) },
  },
  {
    id: 'browser-restart-accepted',
    breaks: 'PATCH of a browser accepts the action restart and does nothing.',
    server: 'scripted',
    target: 'V4-BROWSER-21',
    tamper: {
      request: (seen) =>
        isOne(seen, 'PATCH') && isJsonObject(seen.body) && seen.body['action'] === 'restart'
          ? { method: 'GET', body: '' }
          : undefined,
    },
  },
  {
    id: 'browser-read-by-others',
    breaks: 'Another project can fetch a browser.',
    server: 'scripted',
    target: 'TENANCY-20',
    tamper: leaks((seen) => isOne(seen, 'GET')),
  },
  {
    id: 'browser-stopped-by-others',
    breaks: 'Another project can stop a browser.',
    server: 'scripted',
    target: 'TENANCY-21',
    mayAlso: ['TENANCY-23'],
    tamper: leaks((seen) => isOne(seen, 'PATCH')),
  },
  {
    id: 'browser-stopped-in-silence',
    breaks: 'A stop by another project answers 404 and stops the browser.',
    server: 'scripted',
    target: 'TENANCY-23',
    tamper: {
      ...leaks((seen) => isOne(seen, 'PATCH')),
      answer: (seen) =>
        isOne(seen, 'PATCH') && seen.headers['x-service-api-key'] === otherKey
          ? { status: 404, body: { detail: 'Session not found' } }
          : undefined,
    },
  },
  {
    id: 'browser-listed-for-others',
    breaks: 'The list of another project shows our browsers.',
    server: 'scripted',
    target: 'TENANCY-22',
    tamper: leaks((seen) => seen.method === 'GET' && /\/browsers(\?|$)/.test(seen.url)),
  },
  {
    id: 'cdp-address-relative',
    breaks: 'cdpUrl of a new browser has no host.',
    server: 'scripted',
    target: 'V4-BROWSER-15',
    mayAlso: ['SVC-02', 'SVC-03', 'V4-BROWSER-08', 'V4-BROWSER-16', 'V4-BROWSER-17'],
    tamper: launched((record) => ({ ...record, cdpUrl: new URL(String(record['cdpUrl'])).pathname })),
  },
  {
    id: 'browser-ends-after-half-an-hour',
    breaks: 'The record of a browser that no client uses states after half an hour that it has ended.',
    server: 'scripted',
    only: ['V4-BROWSER-04'],
    target: 'V4-BROWSER-04',
    targetFile: (text) => `${text}v4: { browsers: { drivable: false } }\n`,
    tamper: (world) =>
      shown((record) =>
        world.now() - Date.parse(String(record['startedAt'])) > 30 * 60_000 ? { ...record, status: 'stopped' } : record,
      ),
  },
  {
    id: 'browser-ends-after-a-second',
    breaks: 'The record of a browser states one second after its creation that it has ended.',
    server: 'scripted',
    only: ['V4-BROWSER-04'],
    target: 'V4-BROWSER-04',
    targetFile: (text) => `${text}v4: { browsers: { drivable: false } }\n`,
    tamper: () => {
      const startedMs = new Map<unknown, number>();
      return shown((record) => {
        const started = startedMs.get(record['id']) ?? Date.now();
        startedMs.set(record['id'], started);
        return Date.now() - started > 1000 ? { ...record, status: 'stopped' } : record;
      });
    },
  },
  {
    id: 'browser-cost-grows',
    breaks: 'The cost of a stopped browser grows with every GET.',
    server: 'scripted',
    target: 'V4-BROWSER-06',
    mayAlso: ['V4-BROWSER-07'],
    tamper: growingCost(),
  },
  {
    id: 'browser-not-refunded',
    breaks: 'A stopped browser costs as much as an hour.',
    server: 'scripted',
    target: 'V4-BROWSER-07',
    tamper: shown((record) => (record['status'] === 'stopped' ? { ...record, browserCost: '0.02' } : record)),
  },
  {
    id: 'browser-listed-at-full-price',
    breaks: 'The list shows the price of an hour for a stopped browser.',
    server: 'scripted',
    target: 'V4-BROWSER-07',
    tamper: rows(at('GET', creation), 'items', (items) => items.map((item) => ({ ...item, browserCost: '0.02' }))),
  },
  {
    id: 'browser-refunded-twice',
    breaks: 'The second stop of a V4 browser refunds its whole cost.',
    server: 'scripted',
    target: 'V4-BROWSER-07',
    tamper: refundsAgain,
  },
  {
    id: 'browser-stopped-without-key',
    breaks: 'PATCH of a browser without a key is answered 401 and stops it.',
    server: 'scripted',
    target: 'V4-BROWSER-25',
    mayAlso: ['V4-BROWSER-05', 'V4-BROWSER-27', 'V4-BROWSER-20'],
    tamper: {
      request: (seen) =>
        isKeylessStop(seen) ? { headers: { ...seen.headers, 'x-service-api-key': testKey } } : undefined,
      answer: (seen) => (isKeylessStop(seen) ? { status: 401, body: { detail: 'Missing API key' } } : undefined),
    },
  },
  {
    id: 'browser-stopped-for-an-unknown-one',
    breaks: 'The stop of an unknown browser stops the browser that was created last with the country us.',
    server: 'scripted',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    tamper: stopsLatest,
  },
  {
    id: 'browser-any-action-after-the-stop',
    breaks: 'PATCH of a stopped browser accepts any action.',
    server: 'scripted',
    target: 'V4-BROWSER-21',
    tamper: () => {
      const stopped = new Set<string>();
      return {
        request: (seen) => (isOne(seen, 'PATCH') && stopped.has(seen.url) ? { body: { action: 'stop' } } : undefined),
        answer(seen, { status }) {
          if (isOne(seen, 'PATCH') && status === 200) stopped.add(seen.url);
          return undefined;
        },
      };
    },
  },
  {
    id: 'browser-action-in-an-array',
    breaks: 'PATCH of a browser accepts an array with one body.',
    server: 'scripted',
    target: 'V4-BROWSER-21',
    mayAlso: ['V4-BROWSER-25'],
    tamper: {
      request: (seen) => (isOne(seen, 'PATCH') && Array.isArray(seen.body) ? { body: { action: 'stop' } } : undefined),
    },
  },
  {
    id: 'browser-shows-the-newest-address',
    breaks: 'GET of a browser shows the cdpUrl of the browser that was created last.',
    server: 'scripted',
    target: 'V4-BROWSER-15',
    tamper: () => {
      let newest: JsonObject[string] | undefined;
      return {
        answer(seen, { status, body }) {
          if (!isJsonObject(body) || status >= 300) return undefined;
          if (isCreation(seen)) newest = body['cdpUrl'];
          const isOther = isOne(seen, 'GET') && typeof body['cdpUrl'] === 'string' && newest !== undefined;
          return isOther ? { body: { ...body, cdpUrl: newest ?? null } } : undefined;
        },
      };
    },
  },
  {
    id: 'browser-null-proxied',
    breaks: 'A browser without the managed proxy costs proxy traffic.',
    server: 'scripted',
    target: 'V4-BROWSER-24',
    mayAlso: ['V4-BROWSER-07'],
    tamper: shown((record) => ({ ...record, proxyCost: '0.01' })),
  },
  {
    id: 'browser-id-of-the-one-before',
    breaks: 'Every creation of a V4 browser answers with the id of the previous browser.',
    server: 'scripted',
    only: ['V4-BROWSER-12', 'V4-BROWSER-14'],
    target: 'V4-BROWSER-14',
    tamper: () => {
      let before: JsonObject[string] | undefined;
      return launched((body) => {
        const id = before ?? body['id'] ?? null;
        before = body['id'] ?? null;
        return { ...body, id };
      });
    },
  },
  {
    id: 'browser-pause-accepted',
    breaks: 'PATCH of a browser accepts the action pause and does nothing.',
    server: 'scripted',
    target: 'V4-BROWSER-21',
    tamper: {
      request: (seen) =>
        isOne(seen, 'PATCH') && isJsonObject(seen.body) && seen.body['action'] === 'pause'
          ? { method: 'GET', body: '' }
          : undefined,
    },
  },
  {
    id: 'browser-listed-as-active',
    breaks: 'The list of browsers shows stopped ones as active.',
    server: 'scripted',
    target: 'V4-BROWSER-18',
    // The settle deadline has passed before the list is read.
    targetFile: (text) => text.replace(/settleDeadlineMs: \d+/, 'settleDeadlineMs: 1'),
    tamper: rows(at('GET', creation), 'items', (items) => items.map((item) => ({ ...item, status: 'active' }))),
  },
  {
    id: 'browser-record-with-a-dead-address',
    breaks: 'GET of a browser shows a cdpUrl that leads to nothing.',
    server: 'scripted',
    target: 'V4-BROWSER-16',
    tamper: shown((record) =>
      typeof record['cdpUrl'] === 'string' ? { ...record, cdpUrl: 'ws://127.0.0.1:9/devtools' } : record,
    ),
  },
  {
    id: 'browser-in-a-country-ends-with-its-client',
    breaks: 'A browser with a country other than us is stopped, by its record, when its client disconnects.',
    server: 'scripted',
    target: 'V4-BROWSER-25',
    tamper: () => {
      const abroad = new Map<string, string>();
      const ended = new Set<string>();
      const records = shown((record) =>
        ended.has(String(record['id']))
          ? { ...record, status: 'stopped', finishedAt: record['startedAt'] ?? null }
          : record,
      );
      return {
        answer(seen, given) {
          const { body } = given;
          const country = isJsonObject(seen.body) ? seen.body['proxyCountryCode'] : undefined;
          const url = isJsonObject(body) ? body['cdpUrl'] : undefined;
          if (isJsonObject(body) && typeof url === 'string' && typeof country === 'string' && country !== 'us')
            abroad.set(new URL(url).pathname, String(body['id']));
          return records.answer?.(seen, given);
        },
        sockets: { closed: (path) => void ended.add(abroad.get(path) ?? '') },
      };
    },
  },
  {
    id: 'browser-stop-cuts-unproxied-clients',
    breaks: 'The stop of any browser cuts the connections of the browsers without the managed proxy.',
    server: 'scripted',
    target: 'V4-BROWSER-25',
    tamper: () => {
      const unproxied = new Set<string>();
      const cuts: { path: string; cut: () => void }[] = [];
      return {
        answer(seen, { status, body }) {
          const url = isJsonObject(body) ? body['cdpUrl'] : undefined;
          const isBare = isJsonObject(seen.body) && seen.body['proxyCountryCode'] === null;
          if (isBare && typeof url === 'string') unproxied.add(new URL(url).pathname);
          const isStop = seen.method === 'PATCH' && status === 200;
          for (const { path, cut } of isStop ? cuts : []) if (unproxied.has(path)) cut();
          return undefined;
        },
        sockets: { attached: (path, cut) => void cuts.push({ path, cut }) },
      };
    },
  },
];

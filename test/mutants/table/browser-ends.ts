import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { testKey } from '../../support/start-backend.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import type { World } from '../world.ts';

const creation = '/api/v4/browsers';

/** Browsers created so far. */
interface Created {
  /** Ids of the browsers without a proxy. */
  readonly unproxied: Set<string>;
  /** Ids of the browsers with a profile. */
  readonly profiled: Set<string>;
  /** CDP path of each browser, by id. */
  readonly paths: Map<string, string>;
}

/** Creates a tamper from a function that gets the browsers created so far. */
function withCreated(use: (created: Created) => Tamper): () => Tamper {
  return () => {
    const created: Created = { unproxied: new Set(), profiled: new Set(), paths: new Map() };
    const tamper = use(created);
    return {
      ...tamper,
      answer(seen, given) {
        const { body } = given;
        if (seen.method === 'POST' && seen.url === creation && given.status === 201 && isJsonObject(body)) {
          const id = String(body['id']);
          if (isJsonObject(seen.body) && seen.body['proxyCountryCode'] === null) created.unproxied.add(id);
          if (isJsonObject(seen.body) && typeof seen.body['profileId'] === 'string') created.profiled.add(id);
          if (typeof body['cdpUrl'] === 'string') created.paths.set(id, new URL(body['cdpUrl']).pathname);
        }
        return tamper.answer?.(seen, given);
      },
    };
  };
}

function getId({ url }: Seen): string {
  return url.slice(creation.length + 1);
}

function isStop({ method, url, body }: Seen): boolean {
  return method === 'PATCH' && url.startsWith(`${creation}/`) && isJsonObject(body) && body['action'] === 'stop';
}

/**
 * Returns the `answer` function of a tamper. The function changes the record in each successful answer about a single
 * browser.
 */
function record(change: (body: JsonObject, seen: Seen) => JsonObject): NonNullable<Tamper['answer']> {
  return (seen, { status, body }) =>
    status === 200 && seen.url.startsWith(`${creation}/`) && isJsonObject(body)
      ? { body: change(body, seen) }
      : undefined;
}

/**
 * Stops a browser `delayMs` after an event that `gone` selects: a client sends a command or disconnects. Does not stop
 * the browser if another client has connected meanwhile.
 */
function endsLater(gone: (end: { code?: number; method?: string }) => boolean): (world: World) => Tamper {
  return (world) => {
    const clients = new Map<string, number>();
    const later = (path: string): void => {
      const since = clients.get(path);
      setTimeout(() => void (clients.get(path) === since ? world.stop(path) : undefined), delayMs).unref();
    };
    return {
      sockets: {
        attached: (path) => void clients.set(path, (clients.get(path) ?? 0) + 1),
        command: (path, method) => (gone({ method }) ? later(path) : undefined),
        closed: (path, code) => (gone({ code }) ? later(path) : undefined),
      },
    };
  };
}

/**
 * Delay in milliseconds until a browser is stopped. The suite leaves a browser alone for a longer time, and so notices
 * the stop.
 */
const delayMs = 50;

/**
 * Changes records of a stopped browser: they show the cost that `price` returns, and a proxy cost of 0. `price`
 * receives the number of stop requests for the browser, its timeout in minutes (60 if not set), and the number of
 * records shown so far, of all browsers together.
 */
function costs(price: (stops: number, minutes: number, looks: number) => string): () => Tamper {
  return () => {
    const stops = new Map<string, number>();
    const minutes = new Map<string, number>();
    let looks = 0;
    const shown = record((body) => {
      looks += 1;
      const id = String(body['id']);
      const browserCost = price(stops.get(id) ?? 0, minutes.get(id) ?? 60, looks);
      return body['status'] === 'stopped' ? { ...body, browserCost, proxyCost: '0' } : body;
    });
    return {
      answer(seen, given) {
        if (isStop(seen)) stops.set(getId(seen), (stops.get(getId(seen)) ?? 0) + 1);
        const timeout = isJsonObject(seen.body) ? seen.body['timeout'] : undefined;
        if (typeof timeout === 'number' && isJsonObject(given.body)) minutes.set(String(given.body['id']), timeout);
        return shown(seen, given);
      },
    };
  };
}

const withoutClock = {
  server: 'scripted',
  only: ['V4-BROWSER-06', 'V4-BROWSER-07'],
  // Removes the control address, as in the target file of an operator without this address.
  targetFile: (text: string) => text.replace(/^control: .*\n/m, ''),
} as const;

/**
 * Servers that end, bill or connect standalone browsers wrongly, mostly only after some time or only for some browsers.
 */
export const browserEndMutants: readonly Mutant[] = [
  {
    id: 'browser-stopped-in-another-generation',
    breaks: 'PATCH of a V4 browser below /api/v3 needs no key and stops the browser.',
    server: 'scripted',
    target: 'V4-BROWSER-25',
    tamper: {
      request: (seen) =>
        seen.url.startsWith('/api/v3/browsers/') && seen.headers['x-service-api-key'] === undefined
          ? { headers: { ...seen.headers, 'x-service-api-key': testKey }, url: seen.url.replace('v3', 'v4') }
          : undefined,
    },
  },
  {
    id: 'browser-without-proxy-stopped-without-key',
    breaks: 'PATCH of a browser without the managed proxy is answered 401 without a key and stops it.',
    server: 'scripted',
    target: 'V4-BROWSER-25',
    tamper: withCreated(({ unproxied }) => {
      const isOne = (seen: Seen): boolean =>
        isStop(seen) && unproxied.has(getId(seen)) && seen.headers['x-service-api-key'] === undefined;
      return {
        request: (seen) => (isOne(seen) ? { headers: { ...seen.headers, 'x-service-api-key': testKey } } : undefined),
        answer: (seen) => (isOne(seen) ? { status: 401, body: { detail: 'Missing API key' } } : undefined),
      };
    }),
  },
  {
    id: 'browser-ends-after-its-page',
    breaks: 'A browser stops some time after a client closed a page.',
    server: 'scripted',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    tamper: (world) => ({
      sockets: {
        command: (path, method) =>
          method === 'Target.closeTarget' ? void setTimeout(() => void world.stop(path), delayMs).unref() : undefined,
      },
    }),
  },
  {
    id: 'browser-ends-after-a-lost-connection',
    breaks: 'A browser stops some time after a connection was lost, unless a client has come back.',
    server: 'scripted',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    tamper: endsLater(({ code }) => code === 1006),
  },
  {
    id: 'browser-with-profile-ends-with-its-client',
    breaks: 'A browser with a profile stops when its client leaves.',
    server: 'scripted',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    tamper: (world) =>
      withCreated(({ profiled, paths }) => ({
        sockets: {
          closed: (path) => ([...profiled].some((id) => paths.get(id) === path) ? void world.stop(path) : undefined),
        },
      }))(),
  },
  {
    id: 'browser-stopped-by-a-status',
    breaks: 'PATCH of a browser with a status in place of the action stops it.',
    server: 'scripted',
    only: ['V4-BROWSER-21', 'V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    mayAlso: ['V4-BROWSER-21'],
    tamper: {
      request: ({ method, body }) =>
        method === 'PATCH' && isJsonObject(body) && body['status'] === 'stopped'
          ? { body: { action: 'stop' } }
          : undefined,
    },
  },
  {
    id: 'browser-ends-with-a-workspace',
    breaks: 'DELETE of a workspace ends the active browsers, by their records.',
    server: 'scripted',
    only: ['V4-BROWSER-25'],
    target: 'V4-BROWSER-25',
    tamper: () => {
      let isOver = false;
      const change = record((body) => (isOver ? { ...body, status: 'stopped', cdpUrl: null } : body));
      return {
        answer(seen, given) {
          isOver ||= seen.method === 'DELETE' && seen.url.startsWith('/api/v4/workspaces/');
          return change(seen, given);
        },
      };
    },
  },
  {
    id: 'browser-without-proxy-is-not-stopped',
    breaks: 'The stop of a browser without the managed proxy changes its record alone.',
    server: 'scripted',
    only: ['V4-BROWSER-19'],
    target: 'V4-BROWSER-19',
    tamper: withCreated(({ unproxied }) => {
      const stopped = new Set<string>();
      const change = record((body) =>
        stopped.has(String(body['id'])) ? { ...body, status: 'stopped', cdpUrl: null } : body,
      );
      return {
        request(seen) {
          if (!isStop(seen) || !unproxied.has(getId(seen))) return undefined;
          stopped.add(getId(seen));
          return { method: 'GET', body: '' };
        },
        answer: change,
      };
    }),
  },
  {
    id: 'browser-address-is-inherited',
    breaks: 'The CDP URL of a stopped browser leads to the browser that was created after the stop.',
    server: 'scripted',
    only: ['V4-BROWSER-19'],
    target: 'V4-BROWSER-19',
    tamper: withCreated(({ paths }) => {
      const stopped = new Map<string, number>();
      return {
        answer(seen) {
          if (isStop(seen)) stopped.set(paths.get(getId(seen)) ?? '', paths.size);
          return undefined;
        },
        sockets: {
          open({ path }) {
            const count = stopped.get(path);
            return count === undefined ? true : ([...paths.values()][count] ?? true);
          },
        },
      };
    }),
  },
  {
    id: 'browser-started-by-a-second-stop',
    breaks: 'The second stop of a browser starts it again, by its record.',
    server: 'scripted',
    only: ['V4-BROWSER-18'],
    target: 'V4-BROWSER-18',
    tamper: () => {
      const stops = new Map<string, number>();
      const change = record((body) =>
        (stops.get(String(body['id'])) ?? 0) % 2 === 0 ? { ...body, status: 'active' } : body,
      );
      return {
        answer(seen, given) {
          if (isStop(seen)) stops.set(getId(seen), (stops.get(getId(seen)) ?? 0) + 1);
          return change(seen, given);
        },
      };
    },
  },
  {
    id: 'browser-without-proxy-shows-no-address',
    breaks: 'GET of a browser without the managed proxy shows no cdpUrl.',
    server: 'scripted',
    target: 'V4-BROWSER-16',
    tamper: withCreated(({ unproxied }) => ({
      answer: record((body) => {
        const { cdpUrl: _, ...rest } = body;
        return unproxied.has(String(body['id'])) ? rest : body;
      }),
    })),
  },
  {
    id: 'browsers-without-proxy-are-one',
    breaks: 'The CDP URLs of all browsers without the managed proxy lead to the oldest of them that is active.',
    server: 'scripted',
    only: ['V4-BROWSER-15'],
    target: 'V4-BROWSER-15',
    tamper: withCreated(({ unproxied, paths }) => {
      const stopped = new Set<string>();
      return {
        answer(seen, { status }) {
          if (isStop(seen) && status === 200) stopped.add(getId(seen));
          return undefined;
        },
        sockets: {
          open({ path }) {
            const shared = [...unproxied].filter((id) => !stopped.has(id)).map((id) => paths.get(id));
            return shared.includes(path) ? (shared[0] ?? true) : true;
          },
        },
      };
    }),
  },
  {
    id: 'browser-texts-are-cut',
    breaks: 'A client reads at most 60,000 characters of a text.',
    server: 'scripted',
    target: 'SVC-03',
    tamper: {
      sockets: {
        rewrite(command) {
          const params = command['params'];
          if (!isJsonObject(params) || typeof params['expression'] !== 'string') return command;
          const expression = params['expression'].replace(/repeat\(\d+\)$/, 'repeat(60000)');
          return { ...command, params: { ...params, expression } };
        },
      },
    },
  },
  {
    ...withoutClock,
    id: 'browser-bill-rises',
    breaks: 'The cost of a stopped browser rises with every fetch, and no control URL moves the clock.',
    target: 'V4-BROWSER-06',
    mayAlso: ['V4-BROWSER-07'],
    tamper: costs((_stops, _minutes, looks) => (looks / 1000).toFixed(6)),
  },
  {
    ...withoutClock,
    id: 'browser-refunded-by-each-stop',
    breaks: 'Each further stop of a browser refunds a cent, and no control URL moves the clock.',
    target: 'V4-BROWSER-07',
    tamper: costs((stops) => ((5 - stops) / 100).toFixed(6)),
  },
  {
    ...withoutClock,
    id: 'browser-without-client-is-not-refunded',
    breaks: 'A stopped browser that no client has used costs a whole hour, and no control URL moves the clock.',
    target: 'V4-BROWSER-07',
    tamper: withCreated(({ paths }) => {
      const used = new Set<string>();
      return {
        sockets: { attached: (path) => void used.add(path) },
        answer: record((body) =>
          body['status'] === 'stopped' && !used.has(paths.get(String(body['id'])) ?? '')
            ? { ...body, browserCost: '0.020000', proxyCost: '0' }
            : body,
        ),
      };
    }),
  },
  {
    ...withoutClock,
    id: 'browser-with-profile-is-not-refunded',
    breaks: 'A stopped browser with a profile costs a whole hour, and no control URL moves the clock.',
    target: 'V4-BROWSER-07',
    tamper: withCreated(({ profiled }) => ({
      answer: record((body) =>
        body['status'] === 'stopped' && profiled.has(String(body['id']))
          ? { ...body, browserCost: '0.020000', proxyCost: '0' }
          : body,
      ),
    })),
  },
  {
    ...withoutClock,
    id: 'browser-charged-for-its-timeout',
    breaks: 'A stopped browser costs the whole time of its timeout, and no control URL moves the clock.',
    target: 'V4-BROWSER-07',
    tamper: costs((_stops, minutes) => ((minutes * 0.02) / 60).toFixed(6)),
  },
];

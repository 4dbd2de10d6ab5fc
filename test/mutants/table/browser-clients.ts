import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { at, rows } from '../operation-tampers.ts';
import type { Given, UpgradeRequest, Mutant, SocketTamper, Tamper } from '../mutant.ts';
import type { World } from '../world.ts';

type Gone = (path: string, end: { code?: number; method?: string }) => boolean;

/** Stops a browser as soon as a client sends a command or disconnects in a way that `gone` selects. */
function stopsWhen(gone: Gone): (world: World) => Tamper {
  return (world) => {
    const dead = new Set<string>();
    const end = (path: string): void => {
      if (dead.has(path)) return;
      // From here on, no client is accepted, even if the good server takes long to stop the browser.
      dead.add(path);
      void world.stop(path);
    };
    return {
      sockets: {
        open: ({ path }) => !dead.has(path),
        command: (path, method) => (gone(path, { method }) ? end(path) : undefined),
        closed: (path, code) => (gone(path, { code }) ? end(path) : undefined),
      },
    };
  };
}

/** Maximum number of browsers that `leadsElsewhere` has created and not yet stopped, because a project has a limit. */
const othersMax = 6;

/** Connects each client that `which` selects to a new browser instead of the client's own browser. */
function leadsElsewhere(which: (upgrade: UpgradeRequest, stopped: boolean) => boolean): (world: World) => Tamper {
  return (world) => {
    const others: string[] = [];
    const another = async (): Promise<string> => {
      const oldest = others.length < othersMax ? undefined : others.shift();
      if (oldest !== undefined) await world.stop(oldest);
      const fresh = await world.fresh();
      others.push(fresh);
      return fresh;
    };
    return leads((upgrade, stopped) => (which(upgrade, stopped) ? another() : true));
  };
}

/**
 * Connects each client as `where` decides: true for its own browser, or the path of another browser. The second
 * argument of `where` is true if the client's own browser was stopped.
 */
function leads(where: (upgrade: UpgradeRequest, stopped: boolean) => true | Promise<string>): Tamper {
  const stopped = new Set<string>();
  const paths = new Map<string, string>();
  return {
    answer(seen, { body }) {
      const id = isJsonObject(body) ? String(body['id']) : '';
      if (isJsonObject(body) && typeof body['cdpUrl'] === 'string') paths.set(id, new URL(body['cdpUrl']).pathname);
      if (seen.method === 'PATCH' && isJsonObject(seen.body) && seen.body['action'] === 'stop') {
        stopped.add(paths.get(id) ?? '');
      }
      return undefined;
    },
    sockets: { open: (upgrade) => where(upgrade, stopped.has(upgrade.path)) },
  };
}

/** Rejects each client that connects to a browser an hour or more after the browser's first connection. */
function endsWithTime(world: World): Tamper {
  const since = new Map<string, number>();
  const open: SocketTamper['open'] = ({ path }) => {
    const begin = since.get(path) ?? world.now();
    since.set(path, begin);
    return world.now() - begin < 3_600_000;
  };
  return { sockets: { open } };
}

/**
 * Creates a tamper from a function. The argument of the function lists the DevTools paths that the good server has
 * returned so far, in order.
 */
function handedOut(use: (paths: readonly string[]) => Tamper): () => Tamper {
  return () => {
    const paths: string[] = [];
    const tamper = use(paths);
    return {
      ...tamper,
      answer(seen, given) {
        const cdpUrl = isJsonObject(given.body) ? given.body['cdpUrl'] : undefined;
        if (typeof cdpUrl === 'string') paths.push(new URL(cdpUrl).pathname);
        return tamper.answer?.(seen, given);
      },
    };
  };
}

/**
 * Changes the responses of one discovery endpoint of each browser. `change` gets a response and the DevTools path of
 * its browser.
 * @defaultValue for `tail`: '/json/version'
 */
function discovers(
  change: (given: Given, path: string) => Partial<Given> | undefined,
  tail: '/json/version' | '/json/list' = '/json/version',
): Tamper {
  return {
    sockets: {},
    answer: (seen, given) => (seen.url.endsWith(tail) ? change(given, seen.url.slice(0, -tail.length)) : undefined),
  };
}

/** Changes every row of a list of downloads. */
function downloads(change: (file: JsonObject) => JsonObject): Tamper {
  return rows(at('GET', '/api/v4/browsers/*/downloads'), 'files', (files) => files.map(change));
}

/** Connects every client to the same browser, except clients of a stopped browser. */
function sharesOne(world: World): Tamper {
  let shared: Promise<string> | undefined;
  return leads((_knock, stopped) => {
    if (stopped) return true;
    shared ??= world.fresh();
    return shared;
  });
}

const { anyLeave, anyDrop, closeCommand } = {
  anyLeave: ((_path, { code }) => code !== undefined && code !== 1006) satisfies Gone,
  anyDrop: ((_path, { code }) => code === 1006) satisfies Gone,
  closeCommand: ((_path, { method }) => method === 'Browser.close') satisfies Gone,
};

const guarded = { server: 'scripted', only: ['browser-clients'] } as const;

/** Servers whose browsers stop, change or reject clients wrongly. Real clients are used where the client matters. */
export const browserClientMutants: readonly Mutant[] = [
  {
    id: 'browser-ends-when-a-client-leaves',
    breaks: 'A browser stops when a client closes its connection.',
    server: 'chromium',
    target: 'V4-BROWSER-01',
    mayAlso: [
      'V4-BROWSER-02',
      'V4-BROWSER-03',
      'V4-BROWSER-04',
      'V4-BROWSER-22',
      'V4-BROWSER-25',
      'SVC-03',
      'TENANCY-23',
    ],
    tamper: stopsWhen(anyLeave),
  },
  {
    id: 'browser-ends-when-a-connection-drops',
    breaks: 'A browser stops when a connection is lost.',
    server: 'chromium',
    target: 'V4-BROWSER-03',
    mayAlso: ['V4-BROWSER-01', 'V4-BROWSER-22', 'V4-BROWSER-25'],
    tamper: stopsWhen(anyDrop),
  },
  {
    id: 'browser-ends-at-browser-close',
    breaks: 'A browser stops at the CDP command Browser.close, which Puppeteer sends when it is closed.',
    server: 'chromium',
    target: 'V4-BROWSER-02',
    mayAlso: ['V4-BROWSER-25'],
    tamper: stopsWhen(closeCommand),
  },
  {
    id: 'browser-is-new-each-time',
    breaks: 'Every connection opens a new, empty browser.',
    server: 'scripted',
    target: 'V4-BROWSER-01',
    mayAlso: ['V4-BROWSER-02', 'V4-BROWSER-03', 'V4-BROWSER-04', 'V4-BROWSER-18', 'V4-BROWSER-19', 'V4-BROWSER-22'],
    tamper: leadsElsewhere(() => true),
  },
  {
    id: 'browser-takes-one-client',
    breaks: 'A second client is rejected while another is connected.',
    server: 'chromium',
    target: 'V4-BROWSER-22',
    tamper: { sockets: { open: ({ connected }) => connected === 0 } },
  },
  {
    id: 'browser-turns-puppeteer-away',
    breaks: 'Connections of Puppeteer are rejected.',
    server: 'chromium',
    target: 'SVC-03',
    tamper: { sockets: { open: ({ userAgent }) => !/puppeteer/i.test(userAgent) } },
  },
  {
    id: 'browser-turns-playwright-away',
    breaks: 'Connections of Playwright are rejected.',
    server: 'chromium',
    target: 'SVC-03',
    tamper: { sockets: { open: ({ userAgent }) => !/playwright/i.test(userAgent) } },
  },
  {
    id: 'browser-turns-everybody-away',
    breaks: 'No client can connect to the CDP URL of a new browser.',
    server: 'scripted',
    target: 'V4-BROWSER-17',
    mayAlso: ['V4-BROWSER-08', 'SVC-03'],
    tamper: { sockets: { open: () => false } },
  },
  {
    id: 'browser-address-outlives-it',
    breaks: 'After a stop, the CDP URL connects to another running browser.',
    server: 'scripted',
    target: 'V4-BROWSER-19',
    tamper: leadsElsewhere((_knock, stopped) => stopped),
  },
  {
    id: 'browser-ends-with-time',
    breaks: 'A browser stops after an hour.',
    server: 'scripted',
    target: 'V4-BROWSER-04',
    tamper: endsWithTime,
  },
  {
    id: 'browser-ends-with-its-last-page',
    breaks: 'A browser stops when its pages are closed.',
    server: 'scripted',
    only: ['browser-life'],
    target: 'BROWSER-LIFE-01',
    tamper: stopsWhen((_path, { method }) => method === 'Target.closeTarget'),
  },
  {
    ...guarded,
    id: 'browser-any-address',
    breaks: 'Any URL with the path of a CDP URL connects to a browser.',
    target: 'BROWSER-CDP-01',
    tamper: handedOut((paths) => ({
      sockets: { open: ({ path }) => (paths.includes(path) ? true : (paths.at(-1) ?? false)) },
    })),
  },
  {
    ...guarded,
    id: 'browser-discovery-is-dead',
    breaks: 'Discovery returns a URL at which no server listens.',
    target: 'BROWSER-CDP-02',
    tamper: discovers(({ status, body }) =>
      status === 200 && isJsonObject(body)
        ? { body: { ...body, webSocketDebuggerUrl: 'ws://127.0.0.1:9/devtools/browser/nobody' } }
        : undefined,
    ),
  },
  {
    ...guarded,
    id: 'browser-discovery-names-nothing',
    breaks: 'Discovery returns no URL.',
    target: 'BROWSER-CDP-02',
    tamper: discovers(({ status }) => (status === 200 ? { body: { Browser: 'Chrome' } } : undefined)),
  },
  {
    ...guarded,
    id: 'browser-discovery-below-anything',
    breaks: 'Discovery below any URL with the path of a CDP URL returns the URL of a browser.',
    target: 'BROWSER-CDP-03',
    tamper: () => {
      let live: unknown;
      return discovers(({ status, body }) => {
        if (status === 200) live = body;
        return status === 200 ? undefined : { status: 200, body: live };
      });
    },
  },
  {
    ...guarded,
    id: 'browser-list-is-empty',
    breaks: 'The list of pages below a CDP URL is empty.',
    target: 'BROWSER-CDP-08',
    tamper: discovers(({ status }) => (status === 200 ? { body: [] } : undefined), '/json/list'),
  },
  {
    ...guarded,
    id: 'browser-list-is-kept',
    breaks: 'The pages of a browser are still listed after the browser stops.',
    target: 'BROWSER-CDP-08',
    tamper: () => {
      let live: unknown;
      return discovers(({ status, body }) => {
        if (status === 200) live = body;
        return status === 200 ? undefined : { status: 200, body: live };
      }, '/json/list');
    },
  },
  {
    ...guarded,
    id: 'browser-pages-are-shared',
    breaks: 'All CDP URLs connect to the same browser.',
    target: 'BROWSER-CDP-04',
    // Unknown URLs, and URLs of stopped browsers, lead to the same browser too.
    mayAlso: ['BROWSER-CDP-01', 'BROWSER-CDP-08'],
    tamper: sharesOne,
  },
  {
    ...guarded,
    id: 'browser-short-messages',
    breaks: 'A message of more than 65,535 characters closes the connection.',
    target: 'BROWSER-CDP-05',
    tamper: { sockets: { largest: 65_535 } },
  },
  {
    id: 'browser-download-of-no-size',
    breaks: 'A download is listed with size 0.',
    server: 'chromium',
    only: ['browser-clients'],
    target: 'BROWSER-CDP-06',
    tamper: downloads((file) => ({ ...file, size: 0 })),
  },
  {
    id: 'browser-download-renamed',
    breaks: 'A download is listed with a different name.',
    server: 'chromium',
    only: ['browser-clients'],
    target: 'BROWSER-CDP-06',
    tamper: downloads((file) => ({ ...file, path: 'download' })),
  },
  {
    id: 'browser-download-without-address',
    breaks: 'A download has no URL although the request asks for URLs.',
    server: 'chromium',
    only: ['browser-clients'],
    target: 'BROWSER-CDP-07',
    tamper: downloads((file) => ({ ...file, url: null })),
  },
  {
    id: 'browser-download-shows-address',
    breaks: 'The list of downloads contains URLs that the request does not ask for.',
    server: 'chromium',
    only: ['browser-clients'],
    target: 'BROWSER-CDP-07',
    tamper: downloads((file) => ({ ...file, url: file['url'] ?? 'https://files.example/1' })),
  },
  {
    id: 'browser-download-cut',
    breaks: 'The URL of a download returns half of its bytes.',
    server: 'chromium',
    only: ['browser-clients'],
    target: 'BROWSER-CDP-07',
    tamper: {
      addresses: true,
      answer: ({ url }, { body }) =>
        !url.startsWith('/api/') && typeof body === 'string' ? { body: body.slice(0, body.length / 2) } : undefined,
    },
  },
];

/** Conforming variants, for which no check may fail. */
export const legalBrowserClients: readonly Omit<Mutant, 'target'>[] = [
  {
    id: 'browser-discovery-legal',
    breaks: 'Discovery answers 403 without a browser, and additional members with one.',
    server: 'chromium',
    only: ['browser-clients'],
    tamper: discovers(({ status, body }) =>
      status === 200 && isJsonObject(body) ? { body: { ...body, Region: 'here' } } : { status: 403 },
    ),
  },
];

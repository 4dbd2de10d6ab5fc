import { isJsonObject } from '#domain/json.ts';
import type { Knock, Mutant, SocketTamper, Tamper } from '../mutant.ts';
import type { World } from '../world.ts';

type Gone = (path: string, end: { code?: number; method?: string }) => boolean;

/** Stops a browser when a client sends something or goes away. */
function stopsWhen(gone: Gone): (world: World) => Tamper {
  return (world) => {
    const dead = new Set<string>();
    const end = (path: string): void => {
      if (dead.has(path)) return;
      // Nobody gets in from now on, however long the good server takes.
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

/** Other browsers that a mutant has at once; a project may have so many only. */
const othersMax = 6;

/** Leads some clients to another browser. */
function leadsElsewhere(which: (knock: Knock, stopped: boolean) => boolean): (world: World) => Tamper {
  return (world) => {
    const stopped = new Set<string>();
    const paths = new Map<string, string>();
    const others: string[] = [];
    const another = async (): Promise<string> => {
      const oldest = others.length < othersMax ? undefined : others.shift();
      if (oldest !== undefined) await world.stop(oldest);
      const fresh = await world.fresh();
      others.push(fresh);
      return fresh;
    };
    return {
      answer(seen, { body }) {
        const id = isJsonObject(body) ? String(body['id']) : '';
        if (isJsonObject(body) && typeof body['cdpUrl'] === 'string') paths.set(id, new URL(body['cdpUrl']).pathname);
        if (seen.method === 'PATCH' && isJsonObject(seen.body) && seen.body['action'] === 'stop') {
          stopped.add(paths.get(id) ?? '');
        }
        return undefined;
      },
      sockets: { open: (knock) => (which(knock, stopped.has(knock.path)) ? another() : true) },
    };
  };
}

/** Ends every browser after an hour. */
function endsWithTime(world: World): Tamper {
  const since = new Map<string, number>();
  const open: SocketTamper['open'] = ({ path }) => {
    const begin = since.get(path) ?? world.now();
    since.set(path, begin);
    return world.now() - begin < 3_600_000;
  };
  return { sockets: { open } };
}

const { anyLeave, anyDrop, closeCommand } = {
  anyLeave: ((_path, { code }) => code !== undefined && code !== 1006) satisfies Gone,
  anyDrop: ((_path, { code }) => code === 1006) satisfies Gone,
  closeCommand: ((_path, { method }) => method === 'Browser.close') satisfies Gone,
};

/** Servers whose browsers end, change or turn clients away when they must not: where it depends on the client, with real ones. */
export const browserClientMutants: readonly Mutant[] = [
  {
    id: 'browser-ends-when-a-client-leaves',
    breaks: 'A browser ends when a client ends its connection.',
    server: 'chromium',
    target: 'V4-BROWSER-01',
    mayAlso: ['V4-BROWSER-02', 'V4-BROWSER-03', 'V4-BROWSER-04', 'V4-BROWSER-22', 'SVC-03', 'TENANCY-23'],
    tamper: stopsWhen(anyLeave),
  },
  {
    id: 'browser-ends-when-a-connection-drops',
    breaks: 'A browser ends when a connection breaks off.',
    server: 'chromium',
    target: 'V4-BROWSER-03',
    tamper: stopsWhen(anyDrop),
  },
  {
    id: 'browser-ends-at-browser-close',
    breaks: 'A browser ends at the CDP command Browser.close, which Puppeteer sends when it is closed.',
    server: 'chromium',
    target: 'V4-BROWSER-02',
    tamper: stopsWhen(closeCommand),
  },
  {
    id: 'browser-is-new-each-time',
    breaks: 'Every connection leads to a new and empty browser.',
    server: 'scripted',
    target: 'V4-BROWSER-01',
    mayAlso: ['V4-BROWSER-02', 'V4-BROWSER-03', 'V4-BROWSER-04', 'V4-BROWSER-18', 'V4-BROWSER-19', 'V4-BROWSER-22'],
    tamper: leadsElsewhere(() => true),
  },
  {
    id: 'browser-takes-one-client',
    breaks: 'A second client is turned away while one is connected.',
    server: 'chromium',
    target: 'V4-BROWSER-22',
    tamper: { sockets: { open: ({ connected }) => connected === 0 } },
  },
  {
    id: 'browser-turns-puppeteer-away',
    breaks: 'Puppeteer is turned away.',
    server: 'chromium',
    target: 'SVC-03',
    tamper: { sockets: { open: ({ userAgent }) => !/puppeteer/i.test(userAgent) } },
  },
  {
    id: 'browser-turns-playwright-away',
    breaks: 'Playwright is turned away.',
    server: 'chromium',
    target: 'SVC-03',
    tamper: { sockets: { open: ({ userAgent }) => !/playwright/i.test(userAgent) } },
  },
  {
    id: 'browser-turns-everybody-away',
    breaks: 'Nobody can connect to the address of a new browser.',
    server: 'scripted',
    target: 'V4-BROWSER-17',
    mayAlso: ['V4-BROWSER-08', 'SVC-03'],
    tamper: { sockets: { open: () => false } },
  },
  {
    id: 'browser-address-outlives-it',
    breaks: 'After a stop the address leads to another working browser.',
    server: 'scripted',
    target: 'V4-BROWSER-19',
    tamper: leadsElsewhere((_knock, stopped) => stopped),
  },
  {
    id: 'browser-ends-with-time',
    breaks: 'A browser ends after an hour.',
    server: 'scripted',
    target: 'V4-BROWSER-04',
    tamper: endsWithTime,
  },
];

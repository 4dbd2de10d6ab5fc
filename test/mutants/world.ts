import { isJsonObject } from '#lib/json.ts';
import { testKey } from '../support/start-backend.ts';

/** Access of a mutant to the conforming server, invisible to the suite. */
export interface World {
  /** Stops the browser behind a CDP path. */
  stop(path: string): Promise<void>;
  /** Creates another browser and returns its CDP path. */
  fresh(): Promise<string>;
  /** Returns the time of the server's clock in milliseconds. */
  now(): number;
}

/** Creates a `World` that uses the key of the first project. */
export function createWorld(address: string, now: () => number): World {
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${address}/api/v4${path}`, {
      method,
      headers: { 'x-service-api-key': testKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  return {
    now,
    async stop(path) {
      const list = await call('GET', '/browsers?pageSize=100');
      const items: unknown[] = isJsonObject(list) && Array.isArray(list['items']) ? list['items'] : [];
      const found = items.find((item) => readCdpPath(item) === path);
      // The browser may have been stopped in the meantime.
      if (isJsonObject(found)) await call('PATCH', `/browsers/${String(found['id'])}`, { action: 'stop' });
    },
    async fresh() {
      const path = readCdpPath(await call('POST', '/browsers', {}));
      if (path === undefined) throw new Error('the good server has created no browser');
      return path;
    },
  };
}

/** Returns the path of the CDP URL in a browser record; undefined without a CDP URL. */
function readCdpPath(record: unknown): string | undefined {
  const cdpUrl = isJsonObject(record) ? record['cdpUrl'] : undefined;
  return typeof cdpUrl === 'string' ? new URL(cdpUrl).pathname : undefined;
}

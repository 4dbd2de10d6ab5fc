import type { Agent, ProxyAgent } from 'undici';
import { connectors as realConnectors } from '../cdp/index.ts';
import type { CdpClient, Connect, Connectors } from '../../core/cdp.ts';
import { type FetchDispatcher, byFetch } from '../send-by-fetch.ts';
import type { Transport } from '../../core/transport.ts';
import { openLoopbackRelay } from './open-passage.ts';
import { type Route, createRoute, type NetworkOptions } from './route.ts';

/** The transport of the requests and the connectors of the automation clients, as in the settings of a run. */
export interface Carriers {
  transport: Transport;
  connectors: Connectors;
}

/** Connections of a run to its target. */
export interface Network {
  /**
   * Returns the settings with transport and connectors that use this network. Without a proxy or CA, the transport
   * stays unchanged, and so do connectors that a test has replaced.
   */
  carry<T extends Carriers>(settings: T): T;
  /** Wraps connectors so that their clients connect over this network, like the requests. */
  route(connectors: Connectors): Connectors;
  close(): Promise<void>;
}

/** Opens the network of a run; the caller closes it. */
export function openNetwork(options: NetworkOptions): Network {
  const route = createRoute(options);
  if (options.ca === undefined && options.proxy === undefined) return plainNetwork(route);
  let agent: ReturnType<typeof openAgent> | null = null;
  const routeAll = ({ raw, playwright, puppeteer }: Connectors): Connectors => ({
    raw: routed(raw, route),
    playwright: routed(playwright, route),
    puppeteer: routed(puppeteer, route),
  });
  const transport: Transport = async (request) => {
    agent ??= openAgent(options.proxy, route);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fetch takes it; only its types come from another release
    return byFetch((await agent) as unknown as FetchDispatcher)(request);
  };
  return {
    carry: (settings) => ({ ...settings, transport, connectors: routeAll(settings.connectors) }),
    route: routeAll,
    close: async () => (await agent)?.close(),
  };
}

/**
 * Opens a network without a proxy or additional authorities. Playwright and Puppeteer nevertheless connect through a
 * loopback relay, because they limit neither messages nor handshake responses.
 */
function plainNetwork(route: Route): Network {
  const limited = (connectors: Connectors): Connectors => {
    // Connectors of a test may attach to something else than a websocket.
    if (connectors !== realConnectors) return connectors;
    const { playwright, puppeteer } = connectors;
    return { ...connectors, playwright: routed(playwright, route), puppeteer: routed(puppeteer, route) };
  };
  return {
    carry: (settings) => ({ ...settings, connectors: limited(settings.connectors) }),
    route: limited,
    close: () => Promise.resolve(),
  };
}

/**
 * Loads `undici` and creates the agent for a proxy or additional authorities. Called at the first request, because the
 * module is a tenth of the code of a short run.
 */
async function openAgent(proxy: string | undefined, { ca }: Route): Promise<Agent | ProxyAgent> {
  const undici = await import('undici');
  const tls = ca === undefined ? {} : { ca };
  if (proxy === undefined) return new undici.Agent({ connect: tls });
  return new undici.ProxyAgent({ uri: proxy, requestTls: tls, proxyTls: tls });
}

function routed<C extends CdpClient>(connect: Connect<C>, route: Route): Connect<C> {
  return async (address, limits) => {
    const passage = await openLoopbackRelay(address, route);
    try {
      const client = await connect(passage.address, limits);
      const release = async (): Promise<void> => {
        try {
          await client.release();
        } finally {
          await passage.close();
        }
      };
      return { ...client, release };
    } catch (error) {
      await passage.close();
      throw error;
    }
  };
}

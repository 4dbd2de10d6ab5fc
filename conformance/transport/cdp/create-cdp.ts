import type { Cdp, ClientOf, CdpClient, CdpLimits, Connect, Connectors } from '../../core/cdp.ts';
import type { Send } from '../../core/request.ts';
import type { Target } from '../../core/target.ts';
import { CdpFault } from './cdp-fault.ts';
import { type CdpLog, recordConnectors } from './record-connectors.ts';
import { describeAnswer, succeeded } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import { withoutEnd } from '../../core/trim-end.ts';

/** Maximum timeout of one response of a browser, in ms, so that a dead CDP URL is reported within half a minute. */
const connectMsMax = 25_000;

/** Dependencies of the automation clients of a run. */
export interface CdpOptions {
  target: Target;
  connectors: Connectors;
  send: Send;
  /** API key. Replaces the placeholder `$SERVICE_API_KEY` that redaction has put into a CDP URL. */
  apiKey: string;
  /** Aborts every wait. */
  signal: AbortSignal;
  /** Receives the outcome of every call. */
  log: CdpLog;
}

/**
 * Lower and upper bound in milliseconds of the timeout for one response of a browser; `connectMsMax` can reduce the
 * upper bound. Between the bounds, the timeout is the start deadline of the target.
 */
const [answerMsMin, answerMsMax] = [2_000, 30_000];

/** Creates the automation clients of a run. */
export function createCdp({ target, connectors, send, apiKey, signal, log }: CdpOptions): Cdp {
  const recorded = recordConnectors(connectors, log);
  const limits: CdpLimits = { timeoutMs: Math.min(connectMsMax, clamp(target.polling.startDeadlineMs)), signal };
  return {
    use: async (kind, cdpUrl, use) => {
      const reveal = (text: string): string => text.replaceAll('$SERVICE_API_KEY', encodeURIComponent(apiKey));
      const address = reveal(await webSocketAddress(reveal(cdpUrl), send));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has the connector of each kind at its name
      const connect = recorded[kind] as Connect<ClientOf<typeof kind>>;
      const client = await connect(address, limits);
      try {
        return await use(client);
      } finally {
        await release(client);
      }
    },
  };
}

function clamp(ms: number): number {
  return Math.min(answerMsMax, Math.max(answerMsMin, ms));
}

async function release(client: CdpClient): Promise<void> {
  try {
    await client.release();
  } catch (error) {
    // A failed disconnect does not change the result of the calls before it.
    if (!(error instanceof CdpFault)) throw error;
  }
}

/**
 * Returns the websocket URL of a `cdpUrl`. For an http(s) URL it is the URL that `/json/version` returns. Both forms
 * are valid, because the contract does not define the form (companion 8, D1 and D2). Throws CdpFault without a
 * websocket URL.
 */
export async function webSocketAddress(cdpUrl: string, send: Send): Promise<string> {
  const url = URL.canParse(cdpUrl) ? new URL(cdpUrl) : undefined;
  if (url === undefined) throw new CdpFault(`"${cdpUrl.slice(0, 80)}" is no address`);
  if (isWebSocket(cdpUrl)) return cdpUrl;
  if (!['http:', 'https:'].includes(url.protocol))
    throw new CdpFault(`${url.protocol} is no protocol of a CDP address`);
  url.pathname = `${withoutEnd(url.pathname, /\//)}/json/version`;
  const exchange = await send({
    generation: 'other',
    operation: 'cdpDiscovery',
    method: 'GET',
    path: url.href,
    key: 'none',
  });
  const address = memberAt(exchange.json, 'webSocketDebuggerUrl');
  if (!succeeded(exchange) || typeof address !== 'string')
    throw new CdpFault(`discovery at /json/version ${describeAnswer(exchange)} without a webSocketDebuggerUrl`);
  // Client libraries also accept other schemes, such as that of a local socket.
  if (isWebSocket(address)) return address;
  throw new CdpFault(`discovery at /json/version named "${address.slice(0, 80)}", which is no websocket address`);
}

function isWebSocket(address: string): boolean {
  return ['ws:', 'wss:'].includes(URL.parse(address)?.protocol ?? '');
}

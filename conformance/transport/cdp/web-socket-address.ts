import type { Send } from '../../core/request.ts';
import { describeAnswer, succeeded } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import { CdpFault } from './cdp-fault.ts';
import { withoutEnd } from '../../core/trim-end.ts';

/**
 * The websocket address behind a `cdpUrl`: itself, or, for an http(s) address, what its `/json/version` names. Both forms
 * are legal, because the contract does not state the form (companion 8, D1 and D2). Throws CdpFault where there is none.
 */
export async function webSocketAddress(cdpUrl: string, send: Send): Promise<string> {
  const url = URL.canParse(cdpUrl) ? new URL(cdpUrl) : undefined;
  if (url === undefined) throw new CdpFault(`"${cdpUrl.slice(0, 80)}" is no address`);
  if (['ws:', 'wss:'].includes(url.protocol)) return cdpUrl;
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
  if (succeeded(exchange) && typeof address === 'string') return address;
  throw new CdpFault(`discovery at /json/version ${describeAnswer(exchange)} without a webSocketDebuggerUrl`);
}

import type { Exchange } from '../core/exchange.ts';
import { memberAt } from '../core/json.ts';
import type { ScenarioContext } from '../core/scenario.ts';

/** The public share of one V2 session: the responses before its creation, while it exists, and after its end. */
export interface SessionShare {
  /** Response to a fetch of the share before the share was created. */
  none: Exchange;
  made: Exchange;
  again: Exchange;
  fetched: Exchange;
  /** Record of the session while it is shared. */
  session: Exchange;
  /**
   * Response of the share URL without a key, and a fetch of the share after this view; undefined if the answer has no
   * URL.
   */
  viewed: { opened: Exchange; fetched: Exchange } | undefined;
  deletion: Exchange;
  /** Response of the share URL after the end of the share; undefined without a URL. */
  closed: Exchange | undefined;
  gone: Exchange;
  sessionAfter: Exchange;
}

/** Shares a V2 session, opens the share without a key, and ends the share. */
export async function shareSession(context: ScenarioContext, id: string): Promise<SessionShare> {
  const { operations } = context;
  const path = [id];
  const get = (): Promise<Exchange> => operations.call('v2.getPublicShare', { path });
  const none = await get();
  const made = await operations.call('v2.createPublicShare', { path });
  const again = await operations.call('v2.createPublicShare', { path });
  const [fetched, session] = [await get(), await operations.call('v2.getSession', { path })];
  const address = memberAt(made.json, 'shareUrl');
  const open = async (): Promise<Exchange | undefined> =>
    typeof address === 'string' && URL.canParse(address) ? openAddress(context, address) : undefined;
  const opened = await open();
  const viewed = opened === undefined ? undefined : { opened, fetched: await get() };
  const deletion = await operations.call('v2.deletePublicShare', { path });
  const closed = await open();
  const [gone, sessionAfter] = [await get(), await operations.call('v2.getSession', { path })];
  return { none, made, again, fetched, session, viewed, deletion, closed, gone, sessionAfter };
}

/** Sends a GET without a key to a URL that a response contained. */
export function openAddress({ send }: ScenarioContext, address: string): Promise<Exchange> {
  return send({ generation: 'other', operation: 'openAddress', method: 'GET', path: address, key: 'none' });
}

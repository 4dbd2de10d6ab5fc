import type { Exchange } from '../core/exchange.ts';
import { memberAt } from '../core/json.ts';
import type { ScenarioContext } from '../core/scenario.ts';

/** The public share of one V2 session from its making to its end. */
export interface SessionShare {
  /** Before there is one. */
  none: Exchange;
  made: Exchange;
  again: Exchange;
  fetched: Exchange;
  /** The session while it is shared. */
  session: Exchange;
  /** The address, opened without a key, and the share afterwards; undefined where the answer carries no address. */
  viewed: { opened: Exchange; fetched: Exchange } | undefined;
  deletion: Exchange;
  /** The address after the end; undefined where there was none. */
  closed: Exchange | undefined;
  gone: Exchange;
  sessionAfter: Exchange;
}

/** Shares a V2 session, looks at it as a stranger would, and ends the share. */
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

/** Opens an address that an answer has handed out, without a key. */
export function openAddress({ send }: ScenarioContext, address: string): Promise<Exchange> {
  return send({ generation: 'other', operation: 'openAddress', method: 'GET', path: address, key: 'none' });
}

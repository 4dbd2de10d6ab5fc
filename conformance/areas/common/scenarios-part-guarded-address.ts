import type { Exchange } from '../../core/exchange.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import { alterations } from './scenarios-part-altered-address.ts';

/** An address that opens without a key, and what was tried with it. */
export interface GuardedAddress {
  /** What it leads to, for messages. */
  what: string;
  opened: Exchange;
  /** With a change in its path first, then in each member of its query. */
  altered: { part: string; exchange: Exchange }[];
  /** Bytes sent to it with PUT, though it was handed out for reading. */
  written: Exchange;
}

/** Tries an address for reading; undefined where there is none. */
export async function guardAddress(
  { send }: Drive,
  what: string,
  address: JsonValue | undefined,
): Promise<GuardedAddress | undefined> {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const spec = { generation: 'other', operation: 'openAddress', key: 'none' } as const;
  const open = (path: string): Promise<Exchange> => send({ ...spec, method: 'GET', path });
  const altered: GuardedAddress['altered'] = [];
  for (const { part, address: path } of alterations(address)) altered.push({ part, exchange: await open(path) });
  const written = await send({ ...spec, method: 'PUT', path: address, rawBody: 'svc-check' });
  return { what, opened: await open(address), altered, written };
}

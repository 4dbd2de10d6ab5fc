import type { Exchange } from '../../core/exchange.ts';
import type { JsonValue } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import { alterations } from '../common/scenarios-part-altered-address.ts';
import { openAddress } from '../common/session-share.ts';

/** The address for watching a browser, while it is active. */
export interface LiveLook {
  address: string;
  opened: Exchange;
  /** The address with another letter in its path; undefined where it has none. */
  altered: Exchange | undefined;
}

/** Opens the address that a record shows as somebody without a key would; undefined where it shows none. */
export async function lookLive(drive: Drive, address: JsonValue | undefined): Promise<LiveLook | undefined> {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined;
  const opened = await openAddress(drive, address);
  const other = alterations(address).find(({ part, address: changed }) => part === 'path' && hasToken(changed));
  return { address, opened, altered: other === undefined ? undefined : await openAddress(drive, other.address) };
}

/** A short last part of a path is a name and no token: with another letter it would be another page. */
function hasToken(address: string): boolean {
  return (new URL(address).pathname.split('/').at(-1) ?? '').length >= 16;
}

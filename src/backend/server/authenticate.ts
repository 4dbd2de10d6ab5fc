import { service } from '#generated/rules.ts';
import { type Problem, problem } from '#domain/problems.ts';
import type { WireRequest } from '#http/wire.ts';
import type { Keyring, Principal } from '../accounts/keyring.ts';
import type { ConsoleDoor } from '../console/index.ts';

/** The one place a key is read from (contract section 5): no query parameter and no other header of a client authenticates. */
const keyHeader = service.authentication.name.toLowerCase();

/** Who may vouch for a request. */
export interface Doors {
  readonly keyring: Keyring;
  readonly door: Pick<ConsoleDoor, 'principalOf'>;
}

/**
 * Who calls, by the key in the header, or by a login to the console where there is none; without one that is accepted a refusal that
 * says where a key is expected.
 */
export async function authenticate({ keyring, door }: Doors, request: WireRequest): Promise<Principal | Problem> {
  const key = request.headers[keyHeader];
  const principal = key === undefined ? await door.principalOf(request) : await principalOfKey(keyring, key);
  return principal ?? problem('not_authenticated', {});
}

async function principalOfKey(keyring: Keyring, key: string): Promise<Principal | null> {
  return key === '' ? null : keyring.principalOf(key);
}

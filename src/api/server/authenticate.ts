import { service } from '#generated/rules.ts';
import { type Problem, problem } from '#contract/problems.ts';
import { type Soon, whenThere } from '#lib/maybe-promise.ts';
import type { WireRequest } from '#contract/wire.ts';
import type { Keyring, Principal } from '#accounts/keyring.ts';
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
export function authenticate({ keyring, door }: Doors, request: WireRequest): Soon<Principal | Problem> {
  const key = request.headers[keyHeader];
  const found = key === undefined ? door.principalOf(request) : key === '' ? null : keyring.principalOf(key);
  return whenThere(found, (principal) => principal ?? problem('not_authenticated', {}));
}

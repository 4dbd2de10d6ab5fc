import { service } from '#generated/rules.ts';
import { type Problem, problem } from '#domain/problems.ts';
import type { WireRequest } from '#http/wire.ts';
import type { Keyring, Principal } from '../accounts/keyring.ts';

/** The one place a key is read from (contract section 5): no other header and no query parameter authenticates. */
const keyHeader = service.authentication.name.toLowerCase();

/** Who calls, by the key in the header; without one that is accepted a refusal that says where one is expected. */
export async function authenticate(keyring: Keyring, request: WireRequest): Promise<Principal | Problem> {
  const key = request.headers[keyHeader];
  const principal = key === undefined || key === '' ? null : await keyring.principalOf(key);
  return principal ?? problem('not_authenticated', {});
}

import { service } from '#generated/rules.ts';
import { type Problem, problem } from '#domain/problems.ts';
import type { WireRequest } from '#http/wire.ts';
import { type Principal, principalOf } from '../accounts/api-keys.ts';
import type { Database } from '../storage/database.ts';

/** The one place a key is read from (contract section 5): no other header and no query parameter authenticates. */
const keyHeader = service.authentication.name.toLowerCase();

/** Who calls, by the key in the header; without a known key a refusal that says where one is expected. */
export async function authenticate(db: Database, request: WireRequest): Promise<Principal | Problem> {
  const key = request.headers[keyHeader];
  const principal = key === undefined || key === '' ? null : await principalOf(db, key);
  return principal ?? problem('not_authenticated', {});
}

import * as fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';

/** Members of a V3 session that change neither its goal nor what it may cost: each named with a legal value, null where it may be. */
export function sessionOptions(): fc.Arbitrary<JsonObject> {
  return fc.record({
    enableScheduledTasks: fc.constant(false),
    skills: fc.boolean(),
    cacheScript: fc.constantFrom(null, false),
    autoHeal: fc.boolean(),
    useOwnKey: fc.constant(false),
    profileId: fc.constant(null),
    workspaceId: fc.constant(null),
    sensitiveData: fc.constant(null),
    outputSchema: fc.constant(null),
    thinkingLevel: fc.constant(null),
    proxyCountryCode: fc.constantFrom('us', null),
  });
}

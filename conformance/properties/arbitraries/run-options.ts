import * as fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';

/** Bounds of a screen in pixels. */
const bounds = { width: [320, 6144], height: [320, 3456] } as const;

/** Members of a V4 run that change neither its goal nor what it may cost: each named with a legal value, null where it may be. */
export function runOptions(): fc.Arbitrary<JsonObject> {
  return fc.record({
    browserSettings: fc.record({
      profileId: fc.constant(null),
      proxyCountryCode: fc.constantFrom('us', null),
      customProxy: fc.constant(null),
      screenWidth: fc.constantFrom(1280, ...bounds.width),
      screenHeight: fc.constantFrom(720, ...bounds.height),
      record: fc.constantFrom(false, null),
    }),
    attachedFileIds: fc.constantFrom(null, []),
    judge: fc.constant(null),
    secretBindings: fc.constantFrom(null, []),
    inbox: fc.constant(false),
  });
}

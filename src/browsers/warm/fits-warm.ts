import { isDeepStrictEqual } from 'node:util';
import type { LaunchOptions } from '../host.ts';

/** What a running browser can be given without a trace. Everything else, also what is added later, is fixed at its start. */
const GIVEN_LATER = new Set<string>([
  'sessionId',
  'use',
  'allowsResizing',
  'downloads',
  'answered',
  'startsWithinMs',
  'signal',
] satisfies (keyof LaunchOptions)[]);

/** Whether a browser that was started with one set of options can be handed to somebody who wants another. */
export function fitsWarm(started: LaunchOptions, wanted: LaunchOptions): boolean {
  return isDeepStrictEqual(fixedAtStart(started), fixedAtStart(wanted));
}

/** Null and the default are the same as nothing. */
function fixedAtStart({ showsPdf = true, ...rest }: LaunchOptions): object {
  const members = Object.entries({ ...rest, showsPdf });
  return Object.fromEntries(members.filter(([name, value]) => !GIVEN_LATER.has(name) && (value ?? null) !== null));
}

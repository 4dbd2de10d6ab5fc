import type { components } from '#generated/v4.ts';
import { type Problem, isProblem, problem } from '#contract/problems.ts';
import type { CustomProxy } from '#browsers/index.ts';
import type { Caller } from '../common/caller.ts';
import { readCustomProxy } from '../common/custom-proxy.ts';
import { checkProfile } from '../common/named-profile.ts';
import type { SessionRow } from '#store/sessions.ts';

type Given = components['schemas']['RunBrowserSettings'] | null | undefined;

/** What the profile and the proxy of a run's browser settings come to. */
export interface BrowserChoice {
  /** Null when none was named. */
  readonly profileId: string | null;
  /** For this run alone, never stored; null when none was named. */
  readonly runProxy: CustomProxy | null;
}

/** Reads the profile and the proxy, or says why they cannot be had (companion 7.2.1). */
export async function readBrowserChoice(given: Given, caller: Caller): Promise<BrowserChoice | Problem> {
  const { profileId = null, customProxy = null } = given ?? {};
  const runProxy = readCustomProxy(customProxy, ['browserSettings', 'customProxy']);
  if (isProblem(runProxy)) return runProxy;
  return (await checkProfile(profileId, caller)) ?? { profileId, runProxy };
}

/** Refuses another profile than the session's own; to name none is to keep it. */
export function checkSameProfile({ profileId }: BrowserChoice, session: SessionRow): Problem | null {
  return profileId === null || profileId.toLowerCase() === session.profile_id ? null : problem('profile_differs', {});
}

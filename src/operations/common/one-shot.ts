import type { NewSession } from '#sessions/create-session.ts';
import { defaultProxyCountry } from '#contract/screen.ts';

/** Settings that a single task always has. */
type Named = 'task' | 'model';

/** Default settings of a session for a single task, as V2 tasks and V4 runs create it. */
export const oneShot: Omit<NewSession, Named> = {
  modelParams: null,
  thinkingLevel: null,
  keepAlive: false,
  codeMode: false,
  outputSchema: null,
  enableRecording: false,
  useOwnKey: false,
  profileId: null,
  workspaceId: null,
  proxyCountryCode: defaultProxyCountry,
  maxCostMicros: null,
  inbox: false,
  screen: null,
  startUrl: null,
  persistMemory: true,
  resumable: false,
};

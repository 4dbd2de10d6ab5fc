import type { NewSession } from '#sessions/create-session.ts';
import { defaultProxyCountry } from '#contract/screen.ts';

/** What a task needs besides its goal and model. */
type Named = 'task' | 'model';

/** A session that lives for one task, as V2 tasks and V4 runs open it: everything that a request may leave out, at its default. */
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

import type { StartedMock } from '../../src/cli/mock/mock-flags.ts';
import { startStateful } from '../../src/cli/mock/open-stateful.ts';

/** API key of the mock against which tests run the examples of the introductions. */
export const introductionKey = 'svc_introduction';

/** Starts a stateful mock whose tasks end within a second. */
export function startIntroductionMock(): Promise<StartedMock> {
  return startStateful({
    port: 0,
    host: '127.0.0.1',
    apiKey: introductionKey,
    seed: 1,
    latencyMs: null,
    faultRate: 0,
    logLevel: 'silent',
    speed: 100,
    sessionsMax: 25,
    control: null,
  });
}

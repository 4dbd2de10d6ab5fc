import { afterAll, describe, test } from 'vitest';
import { checks } from 'svc-contract/conformance';

// All tests share one run of the suite. A scenario runs when the first test needs it, and only for tests that run.
const targetFile = process.env['SVC_TARGET'];
const suite = await checks({
  url: process.env['SERVICE_URL'] ?? 'http://127.0.0.1:4010',
  apiKey: process.env['SERVICE_API_KEY'] ?? 'svc_mock',
  ...(targetFile === undefined ? {} : { targetFile }),
  seed: 1,
  ratePerSecond: 0,
});

afterAll(() => suite.close());

describe('the contract', () => {
  // oxlint-disable-next-line vitest/valid-title -- the title is the sentence of the requirement
  for (const one of suite) test(one.title, { timeout: 60_000 }, (context) => one.run(context));
});

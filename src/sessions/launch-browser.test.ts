import { expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import { openDatabase } from '#store/open-database.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { openSessionBrowser } from './launch-browser.ts';
import type { EngineState } from './engine-deps.ts';
import { createSandboxes } from './sandboxes.ts';

it('does not report a failed browser start while the service closes', async () => {
  const db = await openDatabase(':memory:');
  const closing = new AbortController();
  const parts = {
    db,
    closing: closing.signal,
    sandboxes: createSandboxes(),
    browserProfiles: { open: async () => null },
    rules: defaultRules,
    log: { error: () => undefined },
    host: { launch: () => Promise.reject(new Error('This browser host is closed.')) },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a launch that fails asks of an engine
  const engine = parts as unknown as EngineState;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns that a launch reads
  const session = { id: 'a', customProxy: null, profileId: null } as unknown as SessionRow;
  // Before the service closes, the failure is recorded in the session, which does not exist in this test.
  await expect(openSessionBrowser(engine, session)).rejects.toThrow('there is no session a');
  closing.abort();
  expect(await openSessionBrowser(engine, session)).toBeNull();
  await db.destroy();
});

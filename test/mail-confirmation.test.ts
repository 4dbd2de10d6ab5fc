import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type StartedSite, startSite } from '../fixtures/sites/index.ts';
import type { JsonObject } from '#lib/json.ts';
import { createApiClient } from './support/api-client.ts';
import { type RealBackend, startRealBackend } from './support/start-real-backend.ts';

// A site that sends real mail to an address typed into its form, the agent without a model, and real Chromium.
let backend: RealBackend;
let site: StartedSite;

beforeAll(async () => {
  backend = await startRealBackend({ allow: ['127.0.0.0/8'] });
});
afterAll(() => backend.stop());
beforeEach(async () => {
  site = await startSite('mail', () => backend.backend.mailPlace()?.port ?? null);
});
afterEach(() => site.close());

// Timeout that ends a hanging run. A browser may take long to start on a busy machine.
const deadlineMs = 150_000;

const run = async (task: string, more: JsonObject = {}): Promise<JsonObject> => {
  const v3 = createApiClient(backend.address);
  const { body } = await v3.call('POST', '/sessions', { task, ...more });
  return v3.until(String(body['id']), ({ status }) => status === 'stopped' || status === 'error', deadlineMs);
};

describe('a site that asks for a confirmation by mail', { timeout: 2 * deadlineMs }, () => {
  it('is joined with the code of its mail', async () => {
    const task =
      `Open ${site.origin}/. Enter 'Nora' in 'Your name'. Type your mail address into 'Email address'. Press Enter. ` +
      "Wait for the mail. Type the code from the mail into 'Code from the mail'. Click 'Confirm'. Tell me the text";
    const session = await run(task);
    expect(session['output']).toContain('You are a member now, Nora.');
    expect(session['isTaskSuccessful']).toBe(true);
    const email = session['inboxEmail'];
    expect(site.state()['members']).toEqual([{ name: 'Nora', email, confirmed: true, way: 'code' }]);
  });

  it('is confirmed by the link of its mail', async () => {
    const task =
      `Open ${site.origin}/reading-list. Type your mail address into 'Email address'. Click 'Send me the list'. ` +
      'Open the link in the mail. Tell me the text';
    const session = await run(task);
    expect(session['output']).toContain('Confirmed.');
    expect(site.state()['lists']).toEqual([{ email: session['inboxEmail'], confirmed: true }]);
  });

  it('is not claimed to be confirmed without a mailbox', async () => {
    const session = await run(`Open ${site.origin}/. Type your mail address into 'Email address'`, { inbox: false });
    expect(session).toMatchObject({ isTaskSuccessful: false, output: 'This session has no mailbox.' });
  });
});

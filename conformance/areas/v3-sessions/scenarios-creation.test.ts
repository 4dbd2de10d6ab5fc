import type { JsonObject } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import { createRunContext } from '../../runner/run-context.ts';
import { defaultTarget } from '../../core/default-target.ts';
import { equippedSession } from './scenarios-creation.ts';
import { expect, it } from 'vitest';
import { fakeKey, startFakeService } from '../../testing/fake-service.ts';
import { fakeTarget } from '../../testing/fake-target.ts';
import { inDialect } from '../../testing/dialect-proxy.ts';
import { run } from '../../runner/run.ts';
import { settle } from '../../runner/options.ts';

it('the session with a ceiling is sent the cheap goal, because only the echo of the ceiling is judged', async () => {
  const settings = settle({ target: { ...defaultTarget, url: 'http://127.0.0.1:1' }, apiKey: 'svc_key' });
  const context = createRunContext({ settings, signal: new AbortController().signal }).contextFor('test');
  const sent: JsonObject[] = [];
  context.sessions.create = ({ body }) => {
    sent.push(body);
    return Promise.reject(new NotTestable('enough was seen'));
  };
  await expect(equippedSession.run(context)).rejects.toThrow('enough was seen');
  expect(sent).toMatchObject([{ task: context.target.tasks.succeed, maxCostUsd: defaultTarget.limits.ceilingUsd }]);
});

it('a target file that names an unknown profile is named as the possible cause of the refusal', async () => {
  const fake = await startFakeService();
  const { v3, ...rest } = fakeTarget(fake.url);
  if (v3 === null) throw new Error('the fake service has V3');
  const unknown = '00000000-0000-4000-8000-000000000009';
  const transport = inDialect(fake.transport, {
    answer: ({ path, status, body }) =>
      path === '/api/v3/sessions' && status < 300 && JSON.stringify(body).includes(unknown)
        ? { status: 404, body: { detail: 'Profile not found' } }
        : {},
  });
  try {
    const target = { ...rest, v3: { ...v3, existing: { profileId: unknown, workspaceId: null } } };
    const report = await run({
      target,
      transport,
      apiKey: fakeKey,
      spend: 'task',
      only: ['V3-CREATE-13'],
      ratePerSecond: 0,
    });
    const [row] = report.requirements.filter(({ id }) => id === 'V3-CREATE-13');
    expect(row).toMatchObject({ verdict: 'notTestable' });
    expect(row?.reason).toContain('does v3.existing.profileId of the target file name an unknown id?');
  } finally {
    await fake.close();
  }
});

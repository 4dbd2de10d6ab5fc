import { expect, it } from 'vitest';
import { run } from '../../runner/run.ts';
import { inDialect } from '../../testing/dialect-proxy.ts';
import { fakeKey, startFakeService } from '../../testing/fake-service.ts';
import { fakeTarget } from '../../testing/fake-target.ts';

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

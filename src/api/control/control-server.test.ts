import { expect, it, onTestFinished } from 'vitest';
import { createControlServer, createRequestLog } from './control-server.ts';

const parts = {
  clock: { advance: () => undefined, now: () => 0 },
  engine: { crash: () => Promise.resolve() },
  faults: { sandboxStart: null, setSandboxStart: () => undefined },
  refusals: { refusal: null, setRefusal: () => undefined, clear: () => undefined },
};

it('lists the latest 10,000 requests by page, with truncated paths', async () => {
  const requests = createRequestLog();
  const app = createControlServer({ ...parts, requests });
  onTestFinished(() => app.close());
  const seen = (path: string): void => void requests.add({ at: '', method: 'GET', path, status: 200 });
  for (let number = 1; number <= 10_005; number += 1) seen(`/${number}`);
  seen(`/${'x'.repeat(5000)}`);
  const read = async (query: string): Promise<Record<string, unknown>> =>
    (await app.inject(`/requests${query}`)).json();
  const [first, last, none] = [await read('?limit=2'), await read('?after=10004'), await read('?after=10006')];
  expect(first).toMatchObject({ requests: [{ path: '/7' }, { path: '/8' }], nextAfter: 8, hasMore: true });
  expect(last).toMatchObject({ requests: [{ path: '/10005' }, {}], nextAfter: 10_006, hasMore: false });
  expect((last['requests'] as { path: string }[])[1]?.path).toHaveLength(500);
  expect(none).toEqual({ requests: [], nextAfter: 10_006, hasMore: false });
  expect((await read(''))['requests']).toHaveLength(1000);
  expect((await app.inject('/requests?limit=1001')).statusCode).toBe(400);
});

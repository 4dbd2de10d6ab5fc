import { startMock } from 'svc-contract/mock';
import { afterAll, expect, test } from 'vitest';
import { tellTitle } from './tell-title.ts';

// The stateless mock answers V2, V3 and V4 from the documents. It costs nothing and needs no browser.
const mock = await startMock();
afterAll(() => mock.close());

test('tells the title', async () => {
  expect(await tellTitle({ url: mock.address, key: mock.apiKey }, 'https://example.com')).toContain('Example Domain');
});

test('reports the 401 of a wrong key', async () => {
  const asked = tellTitle({ url: mock.address, key: '' }, 'https://example.com');
  await expect(asked).rejects.toThrow('the service answered 401');
});

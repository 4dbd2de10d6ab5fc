import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellTitle } from './tell-title.ts';

// `svc mock` answers all three generations from the documents. It costs nothing, needs no browser and ends with the tests.
const mock = spawn('svc', ['mock', '--port', '0', '--api-key', 'svc_mock'], { stdio: ['ignore', 'pipe', 'inherit'] });
let url = '';

beforeAll(async () => {
  for await (const line of createInterface({ input: mock.stdout })) {
    if (!line.startsWith('listening on ')) continue;
    url = line.slice('listening on '.length);
    return;
  }
}, 60_000);
afterAll(() => void mock.kill());

test('tells the title', async () => {
  expect(await tellTitle({ url, key: 'svc_mock' }, 'https://example.com')).toContain('Example Domain');
});

test('says what the service answered when it lets nobody in', async () => {
  await expect(tellTitle({ url, key: '' }, 'https://example.com')).rejects.toThrow('the service answered 401');
});

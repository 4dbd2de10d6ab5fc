import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from './support/api-client.ts';
import { createScriptedAgent } from './support/scripted-agent.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

let started: StartedBackend;
/** URLs that replace placeholders in the rows of the test. They exist only after the test has created a resource. */
const made = new Map<string, string>();

beforeAll(async () => {
  started = await startBackend({ agent: createScriptedAgent() });
  const v2 = createApiClient(started.address, testKey, 'v2');
  const task = await v2.call('POST', '/tasks', { task: 'one' });
  const session = String(task.body['sessionId']);
  const share = await v2.call('POST', `/sessions/${session}/public-share`);
  const { body } = await v2.call('GET', `/sessions/${session}`);
  for (const [name, address] of [
    ['share', share.body['shareUrl']],
    ['live', body['liveUrl']],
  ] as const)
    made.set(name, String(address));
});
afterAll(() => started.stop());

async function fetchHeaders(path: string): Promise<{ status: number; headers: Headers }> {
  const address = made.get(path) ?? `${started.address}${path}`;
  const { status, headers } = await fetch(address, { headers: { 'x-service-api-key': testKey } });
  return { status, headers };
}

describe('every answer has protective headers', () => {
  it.each([
    { path: '/', status: 200 },
    { path: '/console/console.js', status: 200, kept: true },
    { path: '/console/console.css', status: 200, kept: true },
    { path: '/console/api/login', status: 401 },
    { path: '/docs', status: 200 },
    { path: '/docs/start.js', status: 200 },
    { path: '/docs/scalar.js', status: 200, kept: true },
    { path: '/openapi/v4.json', status: 200 },
    { path: '/healthz', status: 200 },
    { path: '/readyz', status: 200 },
    { path: '/api/v4/runs', status: 200 },
    { path: '/api/v4/runs/none', status: 422 },
    { path: '/api/v4/none', status: 404 },
    { path: '/api/v4/runs/%zz', status: 422 },
    { path: '/none', status: 404 },
    { path: '/files/none', status: 403 },
    { path: '/screenshots/none', status: 403 },
    { path: '/recordings/none', status: 403 },
    { path: '/task-logs/none', status: 403 },
    { path: '/share/none', status: 404 },
    { path: 'share', status: 200 },
    { path: '/live/none', status: 404, framed: true },
    { path: 'live', status: 200, framed: true },
  ])('$path', async ({ path, status, kept = false, framed = false }) => {
    const answer = await fetchHeaders(path);
    expect(answer.status).toBe(status);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(framed ? 'frame-ancestors *' : "frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src [^;]*(?:'unsafe-inline'|'unsafe-eval'|\*|https?:)/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toMatch(kept ? /^public/ : /no-store/);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('server') ?? answer.headers.get('x-powered-by')).toBeNull();
  });
});

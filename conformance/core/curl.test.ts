import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { curlLine } from './script-lines.ts';
import type { Exchange } from './exchange.ts';

const body = `{"task":"it's \\"done\\" for $HOME"}`;
const exchange: Exchange = {
  index: 0,
  generation: 'v3',
  operation: 'createSession',
  sentBy: 'test',
  atMs: 0,
  durationMs: 1,
  request: {
    method: 'POST',
    url: 'http://127.0.0.1/api/v3/sessions',
    headers: { 'X-Service-API-Key': '$SERVICE_API_KEY' },
    body,
  },
  status: 200,
  headers: {},
  body: '',
  json: undefined,
};

describe('a curl line', () => {
  it('gives the shell the key from the environment and the body as it was', () => {
    const words = curlLine(exchange).replace(/^curl/, "printf '%s\\n'");
    const printed = execFileSync('sh', ['-c', words], { env: { SERVICE_API_KEY: 'svc_right', HOME: '/root' } });
    const lines = printed.toString().split('\n');
    expect(lines).toContain('X-Service-API-Key: svc_right');
    expect(lines).toContain(body);
  });
});

import { request } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '#generated/operations.ts';
import { createMock } from '#mock/create-mock.ts';
import { startBackend } from './support/start-backend.ts';
import { startStateful } from '../src/cli/mock/open-stateful.ts';

/** This file tests that a method that a path does not allow gets 405 with the header Allow, whatever the body. */

const apiKey = 'svc_mock';
const usual = {
  port: 0,
  host: '127.0.0.1',
  apiKey,
  seed: 1,
  latencyMs: null,
  faultRate: 0,
  logLevel: 'silent',
} as const;
const paths = [...Map.groupBy(operations, ({ version, path }) => `/api/${version}${path}`)].map(([path, rows]) => ({
  path: path.replaceAll(/\{\w+\}/g, 'x'),
  template: path,
  allowed: rows.map(({ method }) => method.toUpperCase()),
}));
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'PROPFIND'];

interface Refused {
  readonly status: number | undefined;
  readonly allow: string | undefined;
  readonly body: string;
}

const addresses = new Map<string, string>();
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const reference = await startBackend();
  const mock = await createMock({ apiKey, log: pino({ level: 'silent' }) });
  const stateful = await startStateful({ ...usual, speed: 1, sessionsMax: 25, control: null });
  addresses.set('the reference', reference.address);
  addresses.set('the stateful mock', stateful.address);
  addresses.set('the stateless mock', await mock.listen(0, '127.0.0.1'));
  closing.push(
    () => reference.stop(),
    () => mock.close(),
    () => stateful.close(),
  );
});
afterAll(async () => {
  for (const close of closing) await close();
});

/**
 * Sends a request with only the given headers and `content-length`. `fetch` would refuse some methods and add headers.
 */
function send(
  url: string,
  method: string,
  { headers, body = '' }: { readonly headers: Record<string, string>; readonly body?: string },
): Promise<Refused> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          allow: response.headers.allow,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.end(body);
  });
}

describe.each(['the reference', 'the stateful mock', 'the stateless mock'])('%s', (name) => {
  it.each(paths)('refuses other methods at $template with 405 and Allow', async ({ path, allowed }) => {
    const others = methods.filter((method) => !allowed.includes(method));
    for (const method of others) {
      const refused = await send(`${addresses.get(name)}${path}`, method, {
        headers: { 'x-service-api-key': apiKey },
      });
      expect({ method, ...refused }).toEqual({
        method,
        status: 405,
        allow: allowed.join(', '),
        body: '{"detail":"Method Not Allowed"}',
      });
    }
  });

  it('refuses QUERY with 405 whatever its content type', async () => {
    for (const type of ['application/json', ';;;', 'text/plain']) {
      const url = `${addresses.get(name)}/api/v3/sessions`;
      const refused = await send(url, 'QUERY', { headers: { 'content-type': type }, body: '{}' });
      expect([type, refused.status, refused.allow]).toEqual([type, 405, 'GET, POST']);
    }
  });

  it('answers 404 without Allow at a path that no document has', async () => {
    const refused = await send(`${addresses.get(name)}/api/v3/nowhere`, 'QUERY', { headers: {} });
    expect([refused.status, refused.allow]).toEqual([404, undefined]);
  });
});

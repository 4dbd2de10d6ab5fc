import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CaptchaSolver, createCaptchaSolver } from '#platform/captcha-solver.ts';
import { createApiClient } from './support/api-client.ts';
import { type StartedBackend, startBackend } from './support/start-backend.ts';

/** Server of the operator's CAPTCHA solver. The service notifies it of each browser with `solveCaptchas`. */
let server: Server;
let solver: CaptchaSolver;
let service: StartedBackend;
const told: unknown[] = [];
const logged: string[] = [];
let status = 204;

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      told.push(JSON.parse(body));
      response.writeHead(status).end();
      server.emit('told');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  if (typeof place !== 'object' || place === null) throw new Error('found no address of the solver');
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  solver = createCaptchaSolver({ url: `http://127.0.0.1:${place.port}/solve`, log });
  service = await startBackend({ captchaSolver: solver });
});
afterAll(async () => {
  await service.stop();
  await solver.close();
  server.closeAllConnections();
  server.close();
});

const v4 = () => createApiClient(service.address, undefined, 'v4');

it('a browser with solveCaptchas, which is the default, is announced with its DevTools address', async () => {
  const heard = once(server, 'told');
  const { body } = await v4().call('POST', '/browsers', {});
  await heard;
  expect(told.at(-1)).toEqual({ browserId: body['id'], cdpUrl: body['cdpUrl'] });
});

it('a browser without solveCaptchas is not announced', async () => {
  const before = told.length;
  await v4().call('POST', '/browsers', { solveCaptchas: false });
  const heard = once(server, 'told');
  const { body } = await v4().call('POST', '/browsers', { solveCaptchas: true });
  await heard;
  expect(told.slice(before)).toEqual([{ browserId: body['id'], cdpUrl: body['cdpUrl'] }]);
});

it('a solver that refuses is logged, and the browser works', async () => {
  status = 503;
  const { status: created } = await v4().call('POST', '/browsers', {});
  expect(created).toBe(201);
  await expect.poll(() => logged.join('')).toContain('the captcha solver refused a browser');
  expect(logged.join('')).not.toContain('devtools');
});

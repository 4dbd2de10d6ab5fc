import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../runner/run.ts';
import { parseTarget } from '../../core/parse-target.ts';

/** A service below a path of its host, as a gateway serves it. */
const server = createServer((request, response) => {
  const isDescription = request.url === '/gateway/openapi/v3.json';
  response.writeHead(isDescription ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isDescription ? { openapi: '3.1.0', info: { version: '3.0.0' } } : {}));
});

beforeAll(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)));
afterAll(() => new Promise((done) => void server.close(done)));

async function judgeDescription(file: string): Promise<string[]> {
  const { port } = server.address() as AddressInfo;
  const target = parseTarget({ url: `http://127.0.0.1:${port}/gateway`, text: `v3: { description: ${file} }\n` });
  const report = await run({ target, apiKey: 'svc_key', only: ['VER-02'], spend: 'none', ratePerSecond: 0 });
  return report.requirements
    .filter(({ verdict }) => verdict !== 'notRun')
    .map(({ verdict, failures }) => [verdict, ...failures.map(({ message }) => message)].join(': '));
}

it('reads the published description below the path of the service', async () => {
  expect(await judgeDescription('/openapi/v3.json')).toEqual(['pass']);
});

it('says so when the published description cannot be read', async () => {
  expect(await judgeDescription('/missing.json')).toEqual([
    expect.stringMatching(/^violation: the published description \(v3\.description of the target file\) answered 404/),
  ]);
});

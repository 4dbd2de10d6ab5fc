import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentAjv } from '../tools/lint-spec/example-problems.ts';
import { loadBundles } from '../tools/lint-spec/operation-problems.ts';
import { type StartedBackend, startBackend, testKey } from './support/start-backend.ts';

/**
 * This file tests that the schemas of the documents and the service accept and refuse the same bodies, for constraints
 * that concern single operations.
 */

let started: StartedBackend;
beforeAll(async () => {
  started = await startBackend();
});
afterAll(() => started.stop());

type Version = 'v2' | 'v3' | 'v4';
const bundles = loadBundles();

function isAccepted(version: Version, schema: string, body: unknown): boolean {
  const validate = createDocumentAjv(bundles.get(version) ?? {}).compile({
    $ref: `https://svc.example/document#/components/schemas/${schema}`,
  });
  return validate(body);
}

async function post(version: Version, path: string, body: unknown): Promise<{ status: number; json: unknown }> {
  const answer = await fetch(`${started.address}/api/${version}${path}`, {
    method: 'POST',
    headers: { 'X-Service-API-Key': testKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}

const noSession = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';

const v3 = (body: object): Row => ['v3', '/sessions', 'CreateSession', body];
const v4 = (body: object): Row => ['v4', '/runs', 'CreateRun', { task: 'a', ...body }];
const task = (body: object): Row => ['v2', '/tasks', 'CreateTask', { task: 'a', ...body }];
const proxied = (host: string): Row => ['v4', '/browsers', 'CreateBrowser', { customProxy: { host, port: 1080 } }];
type Row = [version: Version, path: string, schema: string, body: object];

describe('a document and the service refuse', () => {
  it.each<Row>([
    v3({ browserScreenWidth: 800 }),
    v3({ browserScreenHeight: 600, browserScreenWidth: null }),
    v3({ sessionId: noSession }),
    v3({ sessionId: noSession, task: null }),
    v3({ sensitiveData: { name: 'a' } }),
    v3({ maxCostUsd: 9_007_199_255 }),
    v3({ maxCostUsd: 9_007_199_254.5 }),
    v3({ maxCostUsd: '-1' }),
    v3({ maxCostUsd: '90071992540' }),
    v4({ maxCostUsd: 0 }),
    v4({ maxCostUsd: 0.000_000_7 }),
    v4({ maxCostUsd: '0.0000001' }),
    v4({ maxCostUsd: '00.0' }),
    task({ startUrl: 'example.com' }),
    task({ startUrl: 'file:///etc/passwd' }),
    task({ sessionId: noSession, sessionSettings: {} }),
    ['v2', '/sessions', 'CreateSession', { startUrl: ' https://example.com' }],
    proxied('a proxy'),
    proxied('proxy.example:1080'),
    proxied('socks4://proxy.example'),
    proxied('name:word@proxy.example'),
  ])('%s %s %s %j', async (...[version, path, schema, body]) => {
    const { status } = await post(version, path, body);
    expect({ accepted: isAccepted(version, schema, body), status }).toEqual({ accepted: false, status: 422 });
  });
});

describe('a document and the service accept', () => {
  it.each<Row>([
    v3({ browserScreenWidth: 800, browserScreenHeight: 600 }),
    v3({ browserScreenWidth: null, browserScreenHeight: null }),
    v3({ sensitiveData: {} }),
    v3({ sessionId: null, maxCostUsd: 0 }),
    v3({ maxCostUsd: '+0009007199254.' }),
    v3({ maxCostUsd: 9_007_199_254 }),
    v4({ maxCostUsd: '.000001' }),
    v4({ maxCostUsd: '001.5' }),
    v4({ maxCostUsd: 0.000_001 }),
    task({ startUrl: 'HTTPS://example.com/ä b' }),
    task({ startUrl: 'data:text/html,<b>' }),
    task({ startUrl: 'about:blank' }),
    proxied('[2001:db8::1]'),
    proxied('SOCKS5://2001:db8::1'),
    proxied('https://prôxy.example'),
  ])('%s %s %s %j', async (...[version, path, schema, body]) => {
    const { status, json } = await post(version, path, body);
    expect({ accepted: isAccepted(version, schema, body), refused: status === 422 ? json : null }).toEqual({
      accepted: true,
      refused: null,
    });
  });
});

it.each<[Version, string, number]>([
  ['v3', ' ..', 422],
  ['v4', '. .', 400],
  ['v3', 'ä.', 200],
  ['v4', '/', 200],
])('%s takes the file name %j as its document says', async (version, name, wanted) => {
  const made = await post(version, '/workspaces', {});
  const { id } = made.json as { id: string };
  const body = { files: [{ name, size: 1 }] };
  const { status } = await post(version, `/workspaces/${id}/files/upload`, body);
  expect({ accepted: isAccepted(version, 'UploadFiles', body), status }).toEqual({
    accepted: wanted === 200,
    status: wanted,
  });
});

it('an upload without a size is refused by the document and the service', async () => {
  const { json } = await post('v3', '/workspaces', {});
  const body = { files: [{ name: 'a.txt' }] };
  const answer = await post('v3', `/workspaces/${(json as { id: string }).id}/files/upload`, body);
  expect(isAccepted('v3', 'UploadFiles', body)).toBe(false);
  expect(answer).toMatchObject({
    status: 422,
    json: { detail: [{ loc: ['body', 'files', 0, 'size'], type: 'missing' }] },
  });
});

it('the V4 document names the upload form of its browsers, which the service opens for one of them', async () => {
  const { paths } = bundles.get('v4') as unknown as Described;
  const [, version, path] = /`POST \/api\/(v2)(\/files\S+)`/.exec(paths['/browsers']?.post?.description ?? '') ?? [];
  const { json } = await post('v4', '/browsers', {});
  const form = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 };
  const answer = await post(version as Version, (path ?? '').replace('{id}', (json as { id: string }).id), form);
  expect(answer).toMatchObject({ status: 200, json: { fileName: 'a.txt', method: 'POST' } });
});

interface Described {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly description?: string } }>>;
}

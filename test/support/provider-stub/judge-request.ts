import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject } from '#lib/json.ts';
import { chatSchemas } from './chat-schema.ts';
import { generateContentSchema } from './generate-content-schema.ts';
import { messagesSchema } from './messages-schema.ts';
import { responsesSchema } from './responses-schema.ts';
import { wireRules } from './wire-rules.ts';

/** Provider APIs. */
export type Api = 'openai-responses' | 'anthropic-messages' | 'google-generate-content' | 'chat-completions';

/** A request that the provider stub received. */
export interface StubRequest {
  readonly api: Api | null;
  /** First segment of the path, which names the provider, because every provider has its own base URL on the stub. */
  readonly provider: string;
  /** Path after the provider's segment. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** Requested model name. */
  readonly model: string;
}

const paths: readonly {
  readonly pattern: RegExp;
  readonly api: Api;
  readonly key: (headers: IncomingHttpHeaders) => unknown;
}[] = [
  { pattern: /^\/v1\/responses$/, api: 'openai-responses', key: bearer },
  { pattern: /^\/v1\/messages$/, api: 'anthropic-messages', key: (headers) => headers['x-api-key'] ?? bearer(headers) },
  {
    pattern: /^\/v1beta\/models\/([\w.-]+):generateContent$/,
    api: 'google-generate-content',
    key: (headers) => headers['x-goog-api-key'],
  },
  { pattern: /^\/chat\/completions$/, api: 'chat-completions', key: bearer },
];

function bearer({ authorization }: IncomingHttpHeaders): unknown {
  return authorization?.replace(/^Bearer /, '');
}

/** Parses a request. Its path determines the API, which is null for an unknown path. */
export function readRequest(url: string, headers: IncomingHttpHeaders, text: string): StubRequest {
  const [, provider = '', path = ''] = /^\/([a-z]+)(\/.*)$/.exec(url) ?? [];
  const value: unknown = JSON.parse(text);
  const body = isJsonObject(value) ? value : {};
  const row = paths.find(({ pattern }) => pattern.test(path));
  const [, named] = row?.pattern.exec(path) ?? [];
  return { api: row?.api ?? null, provider, path, headers, body, model: named ?? String(body['model']) };
}

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const judges = new Map(
  Object.entries<object>({
    'openai-responses': responsesSchema,
    'anthropic-messages': messagesSchema,
    'google-generate-content': generateContentSchema,
    ...chatSchemas,
  }).map(([name, schema]) => [name, ajv.compile(schema)]),
);

/**
 * Returns the reasons why a provider would reject a request; an empty list for a documented request with the key
 * `apiKey`.
 */
export function judgeRequest(request: StubRequest, apiKey: string): readonly string[] {
  const { api, body, headers } = request;
  const row = paths.find((candidate) => candidate.api === api);
  if (api === null || row === undefined) return ['no such path'];
  const problems = [...schemaErrors(request), ...(wireRules[api]?.(body) ?? [])];
  if (row.key(headers) !== apiKey) problems.push('another key');
  if (headers['content-type'] !== 'application/json') problems.push('another content type');
  if (api === 'anthropic-messages' && headers['anthropic-version'] !== '2026-10-21') problems.push('another version');
  return problems;
}

function schemaErrors({ api, provider, body }: StubRequest): readonly string[] {
  const judge = judges.get(api === 'chat-completions' ? provider : (api ?? ''));
  if (judge === undefined) return ['no such provider'];
  if (judge(body)) return [];
  return (judge.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

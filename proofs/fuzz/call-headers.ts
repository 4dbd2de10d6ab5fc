import type { Draw } from '../draw.ts';
import { utf8 } from './odd-bodies.ts';
import { oddText } from './odd-texts.ts';

type Headers = (readonly [string, string])[];

/** Placeholder of a valid key until the request is sent. */
export const goodKey = '@{key:0}';

const keyName = 'x-service-api-key';

/**
 * Returns random headers of a request: a valid key, or with `hasKey` false a wrong key or none; mostly a content type
 * if there is a body; and sometimes headers that other clients and proxies send.
 */
export function callHeaders(
  draw: Draw,
  { hasKey, hasBody }: { readonly hasKey: boolean; readonly hasBody: boolean },
): Headers {
  const headers: Headers = hasKey ? [[keyName, goodKey]] : wrongKey(draw);
  if (hasBody || draw.chance(0.02)) headers.push(...contentType(draw));
  if (draw.chance(0.15)) headers.push(...draw.list([1, 3], () => draw.of(more)(draw)));
  return headers;
}

function wrongKey(draw: Draw): Headers {
  const ways: readonly (() => Headers)[] = [
    () => [],
    () => [[keyName, '']],
    () => [[keyName, 'svc_wrong']],
    () => [[keyName, ` ${'k'.repeat(3000)}`]],
    () => [[keyName, visible(oddText(draw))]],
    () => [['authorization', `Bearer ${goodKey}`]],
    () => [['cookie', `${keyName}=${goodKey}`]],
    () => [[`${keyName}s`, goodKey]],
    () => [[keyName, `${goodKey},${goodKey}`]],
    () => [[keyName, `${goodKey}x`]],
  ];
  return draw.of(ways)();
}

function contentType(draw: Draw): Headers {
  const json = 'application/json';
  if (draw.chance(0.88)) return [['content-type', json]];
  const others = [
    `${json}; charset=utf-8`,
    `${json}; charset=utf-16`,
    `${json};charset="x`,
    'APPLICATION/JSON',
    'application/json, text/plain',
    'application/vnd.api+json',
    'text/plain',
    'text/html',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    '/',
    'x',
    ';',
    '*/*',
    `a/${'b'.repeat(2000)}`,
  ];
  return draw.chance(0.1) ? [] : [['content-type', draw.of(others)]];
}

/** Functions that each create one header that other clients or proxies send. */
const more: readonly ((draw: Draw) => readonly [string, string])[] = [
  (draw) => ['x-request-id', draw.of(['abc-123', 'a'.repeat(128), 'a'.repeat(129), '<b>', '', '../x', 'a b', '\xff'])],
  (draw) => ['accept', draw.of(['*/*', 'text/html', 'application/xml;q=1', '', 'x'.repeat(500)])],
  (draw) => ['accept-encoding', draw.of(['gzip', 'identity;q=0', 'br, zstd', '*;q=0'])],
  (draw) => ['content-encoding', draw.of(['gzip', 'identity', 'br', 'x'])],
  (draw) => ['x-v4-queue-deduplicate', draw.of(['true', '1', '', 'x'.repeat(300), 'no'])],
  (draw) => ['range', draw.of(['bytes=0-1', 'bytes=-', 'bytes=9-1', 'items=0-'])],
  (draw) => ['if-none-match', draw.of(['*', '"x"', 'W/"x"'])],
  (draw) => ['x-http-method-override', draw.of(['DELETE', 'POST'])],
  (draw) => ['x-forwarded-for', draw.of(['10.0.0.1', '::1, 1.2.3.4', 'evil.example'])],
  (draw) => ['x-forwarded-host', draw.of(['evil.example', 'a/b'])],
  (draw) => ['forwarded', draw.of(['for=x;host=evil.example', '"'])],
  (draw) => ['origin', draw.of(['null', 'https://evil.example'])],
  (draw) => ['cookie', draw.of(['a=b', '=', 'a'.repeat(1000), '__proto__=x'])],
  (draw) => ['traceparent', draw.of(['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', 'x'])],
  (draw) => [`x-${draw.below(100)}`, visible(oddText(draw))],
  (draw) => [draw.of(['__proto__', 'constructor', 'x-service-api-keys']), visible(oddText(draw)).slice(0, 100)],
  () => ['upgrade-insecure-requests', '1'],
];

/**
 * Encodes a text in UTF-8 and returns at most 4,000 bytes, as a string with one character per byte. Control characters
 * other than tab become `?`.
 */
function visible(text: string): string {
  return utf8(text.toWellFormed())
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
    .slice(0, 4000);
}

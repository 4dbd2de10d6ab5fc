import type { Draw } from '../draw.ts';

/** Encodes a text in UTF-8 and returns the bytes as a string with one character per byte. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Functions that each return an unusual body: invalid JSON, JSON that is no object, or very large or deep JSON. */
const whole: readonly ((draw: Draw) => string)[] = [
  () => '',
  () => 'null',
  () => '[]',
  () => '"text"',
  () => '{"task":',
  () => '{"a":1}}',
  () => '{"a":1}{"b":2}',
  () => "{'task':'x'}",
  () => '{task:"x"}',
  () => '{"task":"x",}',
  () => '{"task":"x" /* why */}',
  () => '{"task":NaN}',
  () => '{"task":Infinity,"n":1e99999}',
  () => '{"task":"\u0000"}',
  () => '{"task":"\\ud800","task":"\\u0000"}',
  () => '\xff\xfe{\x00}\x00',
  () => '\xef\xbb\xbf{"task":"x"}',
  () => '{"task":"\xff\xfe\xc0\xaf"}',
  () => '\x1f\x8b\x08\x00\x00\x00\x00\x00',
  (draw) => '['.repeat(draw.of([50, 99, 100, 101, 5000, 200_000])),
  (draw) => nested(draw.of([50, 99, 100, 101, 5000, 100_000])),
  (draw) => `{"task":"x","more":${nested(draw.of([98, 99, 100, 50_000]))}}`,
  (draw) => `[${'1,'.repeat(draw.of([10, 99_999, 100_001]))}1]`,
  (draw) => `{${Array.from({ length: draw.of([10, 2000]) }, (_, at) => `"m${at}":${at}`).join(',')}}`,
  (draw) => `{"task":"${'x'.repeat(draw.of([1000, 100_000, 1_048_500, 1_048_576, 1_100_000]))}"}`,
  (draw) => `{"n":${'9'.repeat(draw.of([20, 400, 100_000]))}}`,
  (draw) => String.fromCharCode(...draw.list([0, 200], () => draw.below(256))),
];

function nested(depth: number): string {
  return '[['.repeat(depth / 2) + ']]'.repeat(depth / 2);
}

/** Returns an unusual request body. Most large bodies are cut off, because large bodies take long to send. */
export function oddBody(draw: Draw): string {
  const body = draw.of(whole)(draw);
  return body.length > largeBytes && !draw.chance(largeShare) ? body.slice(0, largeBytes) : body;
}

const largeBytes = 20_000;
const largeShare = 0.02;

/** Returns a JSON text with some malformed or unusual bytes. */
export function distort(draw: Draw, json: string): string {
  const bytes = utf8(json);
  const at = draw.below(bytes.length + 1);
  const ways: readonly (() => string)[] = [
    () => bytes.slice(0, at),
    () => bytes.slice(0, at) + String.fromCharCode(draw.below(256)) + bytes.slice(at),
    () => bytes.slice(0, at) + String.fromCharCode(draw.below(256)) + bytes.slice(at + 1),
    () => bytes.replace(/^\{("[^"]*":[^,{}[\]]*)/, '{$1,$1'),
    () => bytes.replace(/^\{/, '{"__proto__":{"task":"x"},'),
    () => bytes.replaceAll('"', draw.of(['\\"', "'", '\x93'])),
    () => ' \t\r\n'.repeat(draw.between(1, 20)) + bytes + '\n'.repeat(3),
    () => `\xef\xbb\xbf${bytes}`,
    () => Buffer.from(json, 'utf16le').toString('latin1'),
    () => bytes + bytes,
  ];
  return draw.of(ways)();
}

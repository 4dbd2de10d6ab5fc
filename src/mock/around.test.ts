import { describe, expect, it } from 'vitest';
import type { LoggedCall } from '#contract/log-messages.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { Around } from '#api/http/hooks.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { injectFaults } from './inject-faults.ts';
import { delayResponses } from './mock-server.ts';
import { watchCalls } from './request-log/watch-calls.ts';

const request: HttpRequest = {
  id: 'one',
  address: '127.0.0.1',
  method: 'GET',
  path: '/api/v3/sessions',
  query: new URLSearchParams(),
  headers: {},
  bodyLimit: 100,
  readBody: () => Promise.resolve(new Uint8Array()),
};
const reply: HttpReply = { status: 200, body: { a: 1, b: undefined } };

function watching(): { readonly watch: Around; readonly statuses: () => number[] } {
  const noted: (() => Omit<LoggedCall, 'id'>)[] = [];
  const log = { add: (call: () => Omit<LoggedCall, 'id'>) => void noted.push(call) };
  const watch = watchCalls({ log, routes: [], apiKey: 'key', bodyCharsMax: 100, now: () => 0 });
  return { watch, statuses: () => noted.map((call) => call().status) };
}

const { signal } = new AbortController();
const random = (): number => 0.5;
const arounds: readonly { readonly name: string; readonly around: Around }[] = [
  { name: 'the request log', around: watching().watch },
  { name: 'latency of nothing', around: delayResponses({ latencyMs: [0, 0], random, signal }) },
  { name: 'faults', around: injectFaults({ faultRate: 0, random, rules: defaultRules }) },
];

describe.each(arounds)('$name', ({ around }) => {
  it('returns a synchronous response synchronously', async () => {
    expect(around(request, () => reply)).toMatchObject({ status: 200, body: reply.body });
    const later = around(request, () => Promise.resolve(reply));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toMatchObject(reply);
  });
});

it('sends the logged text, and no text for a response without a body', () => {
  const { watch } = watching();
  expect(watch(request, () => reply)).toMatchObject({ text: '{"a":1}' });
  expect(watch(request, () => ({ status: 204, body: undefined }))).toEqual({ status: 204, body: undefined });
});

it('logs and rethrows a synchronous or asynchronous error', async () => {
  const { watch, statuses } = watching();
  const bug = (): never => {
    throw new Error('a bug');
  };
  expect(() => watch(request, bug)).toThrow('a bug');
  await expect(watch(request, () => Promise.reject(new Error('a late bug')))).rejects.toThrow('a late bug');
  expect(statuses()).toEqual([500, 500]);
});

import { describe, expect, it } from 'vitest';
import type { Exchange } from './exchange.ts';
import { curlLine, leadingTo, scriptLines } from './script-lines.ts';

const id = '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90';
let count = 0;

function exchange(line: string, given: Partial<Exchange> = {}): Exchange {
  const [method = '', path = '', body] = line.split(' ');
  const request = { method, url: `http://127.0.0.1${path}`, headers: {}, ...(body === undefined ? {} : { body }) };
  count += 1;
  const base = {
    generation: 'v3',
    operation: 'x',
    sentBy: 'scenario',
    atMs: count * 10,
    durationMs: 5,
    headers: {},
  } as const;
  return { ...base, index: count, request, status: 200, body: '', json: undefined, ...given };
}

const created = exchange('POST /sessions {}', { json: { id } });
const look = exchange(`GET /sessions/${id}`);
const again = exchange(`GET /sessions/${id}`);
const followed = exchange(`POST /sessions {"sessionId":"${id}"}`, { status: 409 });
const other = exchange('POST /sessions {}', { json: { id: id.replace('3', '4') } });
const elsewhere = exchange(`GET /sessions/${id}`, { sentBy: 'another' });
const stopped = exchange(`POST /sessions/${id}/stop`, { status: 500 });
const all = [created, look, again, followed, other, elsewhere, stopped];

describe('the way to a failing request', () => {
  it('is what the same scenario has sent for the same thing', () => {
    expect(leadingTo(stopped, all)).toEqual([created, look, again, followed, stopped]);
  });

  it('is the request alone where it is about nothing that was made', () => {
    expect(leadingTo(other, all)).toEqual([other]);
  });

  it('names the id that was handed out, and tells repeated requests once', () => {
    expect(scriptLines(leadingTo(stopped, all))).toEqual([
      `curl -i -X POST 'http://127.0.0.1/sessions' --data-raw '{}' # answered 200, its id is $ID1`,
      `curl -i 'http://127.0.0.1/sessions/'"$ID1"'' # 2 times, answered 200`,
      `curl -i -X POST 'http://127.0.0.1/sessions' --data-raw '{"sessionId":"'"$ID1"'"}' # answered 409`,
      `curl -i -X POST 'http://127.0.0.1/sessions/'"$ID1"'/stop' # answered 500`,
    ]);
  });

  it('says what was sent at once', () => {
    const first = exchange('POST /a', { atMs: 0, durationMs: 9 });
    const second = exchange('POST /b', { atMs: 1, durationMs: 3 });
    expect(scriptLines([first, second])[1]).toContain('answered 200, in parallel with its predecessor');
  });

  it('has twelve lines at most, the first and the last among them', () => {
    const many = Array.from({ length: 30 }, (_, index) => exchange(`GET /sessions/${id}/${index}`));
    const lines = scriptLines([created, ...many]);
    expect(lines).toHaveLength(12);
    expect(lines[0]).toContain('its id is $ID1');
    expect(lines[3]).toBe('# ... 20 more requests');
    expect(lines.at(-1)).toContain('/29');
  });
});

describe('the line that repeats a request', () => {
  it('lets the shell expand keys and nothing that a target has said', () => {
    const opened = exchange('GET /$(id)?k=$SERVICE_API_KEY&`id`=$HOME');
    expect(curlLine(opened)).toBe(`curl -i 'http://127.0.0.1/$(id)?k='"$SERVICE_API_KEY"'&\`id\`=$HOME'`);
    const keyed = exchange('GET /', {
      request: { method: 'GET', url: 'http://127.0.0.1/', headers: { 'X-Service-API-Key': '$SERVICE_API_KEY' } },
    });
    expect(curlLine(keyed)).toBe(`curl -i 'http://127.0.0.1/' -H "X-Service-API-Key: $SERVICE_API_KEY"`);
  });
});

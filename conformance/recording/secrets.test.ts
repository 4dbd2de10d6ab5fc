import { describe, expect, it } from 'vitest';
import { defaultTarget } from '../core/default-target.ts';
import { parseJson } from '../core/json.ts';
import type { Exchange } from '../core/exchange.ts';
import { countVerdicts } from '../runner/count-verdicts.ts';
import { findSecrets } from './find-secrets.ts';
import type { Recording } from './recording.ts';
import { createReplace } from './render-har.ts';

const id = '7d4f1c1e-6f0b-4a57-9a3f-0a8a3d6a1b11';
const token = 'b0f8Qe1xWm3kZp9rTt7Yc2';

function recorded(change: Partial<Exchange>): Recording {
  const { body = '' } = change;
  const request = { method: 'GET', url: 'http://127.0.0.1:1/api/v3/sessions', headers: {} };
  const exchange: Exchange = {
    index: 0,
    generation: 'v3',
    operation: 'getSession',
    sentBy: 'test',
    atMs: 0,
    durationMs: 1,
    request,
    status: 200,
    headers: {},
    body,
    json: parseJson(body),
    ...change,
  };
  const happenings = [{ kind: 'exchange', exchange } as const];
  const run = { startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1, options: {}, stamp: 'abc', secrets: {} };
  return {
    ...run,
    target: { ...defaultTarget, url: 'http://127.0.0.1:1' },
    withOtherKey: false,
    headers: {},
    happenings,
    ...countVerdicts([]),
  };
}

function inBody(json: unknown): string[] {
  return [...findSecrets(recorded({ body: JSON.stringify(json) }))];
}

describe('secrets of a recording', () => {
  it.each([
    [
      'a signature in a query',
      { url: `http://127.0.0.1/files/${id}?expires=1793523900000&signature=${token}` },
      [token],
    ],
    ['a token in a path', { liveUrl: `http://127.0.0.1/live/${token}` }, [token]],
    ['a token in a websocket address', { cdpUrl: `wss://cdp.svc.example/devtools/browser/${token}` }, [token]],
    ['a token that is a uuid', { id: 'x', cdpUrl: `ws://127.0.0.1/${id}` }, [id]],
    ['a password in an address', { proxy: 'http://agent:ab&cd%2B1234+x%zz@127.0.0.1/' }, ['ab&cd+1234+x%zz']],
    ['a token in a fragment', { url: `http://127.0.0.1/done#state=1&access=${token}` }, [token]],
    [
      'a token in an address within an address',
      { liveUrl: `http://127.0.0.1/view?ws=${encodeURIComponent(`wss://127.0.0.1/devtools/${token}`)}` },
      [token],
    ],
    ['an id in an address', { id, url: `http://127.0.0.1/api/v3/sessions/${id}` }, []],
    ['a member that says what it is', { shareToken: 'k3v9a1b2c3' }, ['k3v9a1b2c3']],
    [
      'a field of a form',
      { fields: { key: id, 'X-Amz-Signature': token, policy: 'eyJleHAiOjE3OTM1MjM5MDB9' } },
      [token, 'eyJleHAiOjE3OTM1MjM5MDB9'],
    ],
    [
      'numbers, words and times',
      { inputTokens: '123456789', tokenType: 'bearer-token', at: '2026-01-01T00:00:00.000Z' },
      [],
    ],
    ['a sentence', { detail: 'the token is wrong or has ended' }, []],
  ])('%s', (_name, json, want) => {
    expect(inBody(json)).toEqual(want);
  });

  it('are no words of the documents, and none that the suite has said first', () => {
    const said = 'svc-check-labels-0123456789';
    const request = { method: 'POST', url: 'http://127.0.0.1:1/api/v4/browsers', headers: {}, body: `{"x":"${said}"}` };
    const body = JSON.stringify({
      startUrl: `http://127.0.0.1/${said}`,
      about: 'http://127.0.0.1/llama-4-maverick-17b-128e-instruct',
    });
    expect([...findSecrets(recorded({ request, body, json: parseJson(body) }))]).toEqual([]);
  });

  it('stand in the headers of cookies and in what was sent to an address that was handed out', () => {
    const url = `http://127.0.0.1/files/a.txt?signature=${token}x`;
    const request = { method: 'GET', url, headers: { authorization: 'Bearer $SERVICE_API_KEY' } };
    const headers = { 'set-cookie': 'sid=abcdef123456; Path=/' };
    expect([...findSecrets(recorded({ generation: 'other', request, headers }))]).toEqual([
      `${token}x`,
      'abcdef123456',
    ]);
  });

  it('are searched in time that grows with the length of an answer', () => {
    const body = 'eyJ'.repeat(200_000);
    expect([...findSecrets(recorded({ body }))]).toEqual([]);
  }, 10_000);
});

describe('placeholders', () => {
  const replace = createReplace(['a+b/c==d1', 'a+b/c==d1-and-more', token]);

  it('are the same for the same value in every spelling, and of its length', () => {
    const shown = 'svcsecret00003'.padEnd(token.length, 'x');
    expect(replace(`"${token}" ?t=${token}&u=1`)).toBe(`"${shown}" ?t=${shown}&u=1`);
    expect(replace(encodeURIComponent('a+b/c==d1'))).toBe('svcsecret00001');
    expect(replace(String.raw`a+b\/c==d1`)).toBe('svcsecret00001');
  });

  it('differ for different values, also where one begins like the other', () => {
    expect(replace('a+b/c==d1 a+b/c==d1-and-more')).toBe('svcsecret00001 svcsecret00002xxxx');
  });

  it('are no secrets themselves', () => {
    expect(inBody({ liveUrl: 'http://127.0.0.1/live/svcsecret00003xxxxxxxx' })).toEqual([]);
  });
});

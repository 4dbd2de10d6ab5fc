import { describe, expect, it } from 'vitest';
import type { Exchange } from '#conformance/index.ts';
import { traceText } from './run-check.ts';

const exchange: Exchange = {
  index: 0,
  generation: 'v3',
  operation: 'createSession',
  sentBy: 'V3-CREATE-04',
  atMs: 0,
  durationMs: 12.4,
  request: { method: 'POST', url: 'http://127.0.0.1/api/v3/sessions', headers: { accept: '*/*' }, body: '{"a":1}' },
  status: 422,
  headers: { server: 'x' },
  body: 'no',
  json: undefined,
};

describe('a traced exchange', () => {
  it('shows the scenario, the request and the response', () => {
    expect(traceText(exchange)).toBe(
      '* V3-CREATE-04: createSession, 12 ms\n> POST http://127.0.0.1/api/v3/sessions\n> accept: */*\n> {"a":1}\n< 422\n< server: x\n< no\n',
    );
  });

  it('shows why no response arrived, and the length of a truncated body', () => {
    expect(traceText({ ...exchange, status: 0, fault: 'ECONNREFUSED' })).toContain('< no answer: ECONNREFUSED');
    expect(traceText({ ...exchange, body: 'x'.repeat(2_001) })).toContain('< (2001 characters)');
  });

  it('shows the received part of an aborted response', () => {
    const trace = traceText({ ...exchange, status: 0, fault: 'its body is longer than 8 bytes', body: 'begin' });
    expect(trace).toContain('< no answer: its body is longer than 8 bytes\n< server: x\n< begin\n');
  });
});

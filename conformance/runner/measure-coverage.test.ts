import { describe, expect, it } from 'vitest';
import { answerSchemas } from '../core/answer-schemas.ts';
import type { Exchange } from '../core/exchange.ts';
import { parseJson } from '../core/json.ts';
import { parseTarget } from '../core/parse-target.ts';
import { readCoverage, renderCoverage } from '../report/coverage-text.ts';
import { measureCoverage } from './measure-coverage.ts';
import { type OperationCoverage, notExercised } from '../core/coverage.ts';

const target = parseTarget({ url: 'https://api.example.com', text: 'operations: { v2: { getTaskLogs: null } }' });

function answer(method: string, path: string, { status = 200, sent = '', body = '' }): Exchange {
  const url = `${target.url}/api/v3${path}`;
  const request = { method, url, headers: {}, ...(sent === '' ? {} : { body: sent }) };
  const kept = { index: 0, generation: 'v3', operation: 'x', sentBy: 'test', atMs: 0, durationMs: 0, request } as const;
  return { ...kept, status, headers: {}, body, json: parseJson(body) };
}

const upload = answer('POST', '/workspaces/1/files/upload?prefix=a', {
  sent: '{"files":[{"name":"a","size":1}]}',
  body: '{"files":[{"name":"a","path":"a"}]}',
});
const missing = answer('POST', '/workspaces/2/files/upload', { status: 404, body: '{"detail":"no"}' });
const exchanges = [upload, missing, answer('GET', '/nowhere', {}), answer('GET', '/workspaces', { status: 0 })];
const coverage = measureCoverage({
  target,
  exchanges,
  answers: answerSchemas,
  judged: new Map([['FILE-99', [missing]]]),
});

function row(operation: string): OperationCoverage {
  const found = coverage.find((item) => item.operation === operation);
  if (found === undefined) throw new Error(`no row for ${operation}`);
  return found;
}

describe('coverage', () => {
  it('counts what was sent and received of what is documented', () => {
    const uploads = row('v3.uploadWorkspaceFiles');
    expect(uploads).toMatchObject({ requests: 2, offered: true, requirements: ['FILE-99'] });
    expect(uploads.statuses.seen).toEqual([200, 404]);
    expect(uploads.statuses.unseen).toContain(422);
    expect(uploads.sent).toEqual({
      seen: ['?prefix', 'files', 'files[].name', 'files[].size'],
      unseen: ['files[].contentType'],
    });
    expect(uploads.received).toEqual({
      seen: ['files', 'files[].name', 'files[].path'],
      unseen: ['files[].uploadUrl'],
    });
  });

  it('knows what was never exercised, without what is not offered and what never got an answer', () => {
    const never = notExercised(coverage).map(({ operation }) => operation);
    expect(never).toContain('v3.listWorkspaces');
    expect(never).not.toContain('v2.getTaskLogs');
    expect(never).not.toContain('v3.uploadWorkspaceFiles');
    const refused = { ...row('v3.uploadWorkspaceFiles'), statuses: { seen: [401, 404, 422], unseen: [200] } };
    expect(notExercised([refused])).toEqual([refused]);
    expect(notExercised([{ ...refused, statuses: { seen: [401, 409], unseen: [200] } }])).toEqual([]);
  });

  it('reads back what a report holds, and refuses any other file', () => {
    const text = JSON.stringify({ schema: 'svc-report/1', coverage });
    expect(readCoverage(parseJson(text))).toEqual(coverage);
    expect(() => readCoverage(parseJson('{"schema":"svc-report/1"}'))).toThrow('without coverage');
  });

  it('fits a terminal of 80 columns', () => {
    const full = coverage.map((item) => ({ ...item, requests: 1 }));
    const lines = [...renderCoverage(full).split('\n'), ...renderCoverage(coverage).split('\n')];
    expect(lines.filter((text) => text.length > 80)).toEqual([]);
    expect(renderCoverage(coverage)).toContain('  never exercised: v3.listWorkspaces\n');
  });
});

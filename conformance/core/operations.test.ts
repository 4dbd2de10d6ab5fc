import { describe, expect, it } from 'vitest';
import type { Exchange } from './exchange.ts';
import { notOffered, findOperation, offeredEndpoint } from './operations.ts';
import { parseTarget } from './parse-target.ts';

const url = 'https://api.example.com';
const target = parseTarget({ url });

function sent(method: string, path: string, operation = 'nobody'): Exchange {
  const request = { method, url: path, headers: {} };
  const kept = { index: 0, generation: 'v4', operation, sentBy: 'test', atMs: 0, durationMs: 0, request } as const;
  return { ...kept, status: 200, headers: {}, body: '', json: undefined };
}

describe('the place of an operation', () => {
  it('comes from the documents if the target file does not set it', () => {
    expect(offeredEndpoint(target, 'v3.getWorkspace')).toEqual({ method: 'GET', path: '/workspaces/{workspace_id}' });
  });

  it('comes from the target file, by operation id or by a member that names it', () => {
    const moved = { method: 'GET', path: '/elsewhere' };
    const text = 'operations: { v3: { getWorkspace: { method: GET, path: /elsewhere }, getWorkspaceSize: null } }';
    const own = parseTarget({ url, text: `${text}\nv4: { getRun: { method: GET, path: /elsewhere } }` });
    expect(offeredEndpoint(own, 'v3.getWorkspace')).toEqual(moved);
    expect(offeredEndpoint(own, 'v4.getRun')).toEqual(moved);
    expect(offeredEndpoint(own, 'v4.getWorkspace')).not.toEqual(moved);
    expect(notOffered(own, ['v3.getWorkspace', 'v3.getWorkspaceSize'])).toContain('v3.getWorkspaceSize');
  });

  it.each(['operations: null', 'v4: null', 'v4: { browsers: null }'])('is null with %s', (text) => {
    expect(offeredEndpoint(parseTarget({ url, text }), 'v4.getBrowser')).toBeNull();
  });

  it('has to be of an operation that the documents know', () => {
    expect(() => parseTarget({ url, text: 'operations: { v4: { getRuns: null } }' })).toThrow('did you mean "getRun"');
  });
});

describe('the operation of an exchange', () => {
  it.each([
    ['GET', '/api/v4/runs/17/status?x=1', 'v4.getRunStatus'],
    ['GET', '/api/v4/runs/status', 'v4.getRun'],
    ['DELETE', '/api/v4/profiles/7', 'v4.deleteProfile'],
  ])('%s %s is %s', (method, path, key) => {
    expect(findOperation(target, sent(method, url + path))?.key).toBe(key);
  });

  it('is found by its name where the target has it elsewhere', () => {
    expect(findOperation(target, sent('GET', `${url}/other/9`, 'getRun'))?.key).toBe('v4.getRun');
  });

  it.each([
    ['PUT', '/api/v4/runs'],
    ['GET', '/api/v4/runs/'],
    ['GET', '/api/v3/runs'],
  ])('%s %s names no operation', (method, path) => {
    expect(findOperation(target, sent(method, url + path))).toBeUndefined();
  });
});

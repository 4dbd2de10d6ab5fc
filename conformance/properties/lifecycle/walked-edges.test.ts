import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../core/exchange.ts';
import { defaultTarget } from '../../core/default-target.ts';
import { isLegalStep, findMachine } from './machines.ts';
import { walkedEdges } from './walked-edges.ts';

const target = { ...defaultTarget, url: 'http://127.0.0.1' };

interface Look {
  generation: 'v2' | 'v3' | 'v4';
  operation: string;
  path: string;
  json: Exchange['json'];
  status?: number;
  /** Times of the request and of its response. */
  during: readonly [number, number];
}

function recorded(looks: readonly Look[]): Exchange[] {
  return looks.map(({ generation, operation, path, json, status = 200, during: [begin, end] }, index) => ({
    index,
    generation,
    operation,
    sentBy: 'test',
    atMs: begin,
    durationMs: end - begin,
    request: { method: 'GET', url: `http://127.0.0.1/api/${generation}${path}`, headers: {} },
    status,
    headers: {},
    body: JSON.stringify(json),
    json,
  }));
}

const session = (id: string, status: string, during: readonly [number, number]): Look => ({
  generation: 'v3',
  operation: 'getSession',
  path: `/sessions/${id}`,
  json: { id, status },
  during,
});

describe('the edges that were walked', () => {
  it('are counted per thing, however their looks mix', () => {
    const looks = [
      session('a', 'created', [0, 1]),
      session('b', 'running', [1, 2]),
      session('a', 'running', [2, 3]),
      session('b', 'idle', [3, 4]),
      session('a', 'running', [4, 5]),
      session('a', 'idle', [5, 6]),
    ];
    expect(walkedEdges(target, recorded(looks))).toEqual([
      { machine: 'session', from: 'created', to: 'running', count: 1 },
      { machine: 'session', from: 'running', to: 'idle', count: 2 },
    ]);
  });

  it('leave out an observation that overlaps its predecessor', () => {
    const looks = [session('a', 'stopped', [0, 5]), session('a', 'running', [1, 6]), session('a', 'stopped', [7, 8])];
    expect(walkedEdges(target, recorded(looks))).toEqual([]);
  });

  it('take the id of a task from its address, and that of a creation from its answer', () => {
    const looks: Look[] = [
      {
        generation: 'v2',
        operation: 'createTask',
        path: '/tasks',
        json: { id: 't', status: 'created' },
        during: [0, 1],
      },
      {
        generation: 'v2',
        operation: 'getTaskStatus',
        path: '/tasks/t/status',
        json: { status: 'started' },
        during: [2, 3],
      },
      {
        generation: 'v2',
        operation: 'getTask',
        path: '/tasks/t',
        json: { id: 't', status: 'finished' },
        during: [4, 5],
      },
    ];
    expect(walkedEdges(target, recorded(looks))).toEqual([
      { machine: 'task', from: 'created', to: 'started', count: 1 },
      { machine: 'task', from: 'started', to: 'finished', count: 1 },
    ]);
  });

  it('leave out refusals, unknown words and generations that are not offered', () => {
    const odd = [
      session('a', 'running', [0, 1]),
      { ...session('a', 'idle', [2, 3]), status: 404 },
      session('a', 'resting', [4, 5]),
      session('a', 'stopped', [6, 7]),
    ];
    const edge = { machine: 'session', from: 'running', to: 'stopped', count: 1 };
    expect(walkedEdges(target, recorded(odd))).toEqual([edge]);
    expect(walkedEdges({ ...target, v3: null }, recorded(odd))).toEqual([]);
  });
});

describe('a legal step', () => {
  it.each([
    { machine: 'session', from: 'created', to: 'idle', want: true },
    { machine: 'session', from: 'created', to: 'running', want: true },
    { machine: 'session', from: 'idle', to: 'created', want: false },
    { machine: 'session', from: 'stopped', to: 'running', want: false },
    { machine: 'task', from: 'started', to: 'created', want: true },
    { machine: 'task', from: 'finished', to: 'started', want: false },
    { machine: 'run', from: 'cancelled', to: 'completed', want: false },
    { machine: 'browser', from: 'active', to: 'stopped', want: true },
    { machine: 'browser', from: 'stopped', to: 'active', want: false },
  ] as const)('of a $machine from $from to $to: $want', ({ machine, want, ...step }) => {
    expect(isLegalStep(findMachine(machine), step)).toBe(want);
  });
});

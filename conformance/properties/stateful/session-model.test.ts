import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../core/exchange.ts';
import { explain } from './explain.ts';
import type { Act, Moment, Turn } from './moment.ts';
import { sessionModel } from './session-model.ts';

/**
 * Parses a moment, such as "look idle steps=1" (with the record of a session) or "stop 409" (an HTTP status without a
 * record). The default HTTP status is 200.
 */
function moment(text: string, word: string): Moment {
  const [act = '', ...rest] = text.split(' ');
  const code = Number(rest.find((part) => /^\d{3}$/.test(part)) ?? 200);
  const status = rest.find((part) => /^[a-z_]+$/.test(part));
  const steps = rest.find((part) => part.startsWith('steps='))?.slice(6);
  const counters: Record<string, number> = steps === undefined ? {} : { stepCount: Number(steps) };
  const isEnd = ['stopped', 'timed_out', 'error'].includes(status ?? '');
  const shown = { status: status ?? '', phase: isEnd ? 'over' : 'open', settled: {}, counters } as const;
  return { word, act: parseAct(act), exchange: exchange(code), ...(status === undefined ? {} : { shown }) };
}

function parseAct(text: string): Act {
  const acts = ['create', 'dispatch', 'stop', 'stopTask', 'remove', 'look', 'list', 'late'] as const;
  return acts.find((act) => act === text) ?? 'look';
}

function exchange(status: number): Exchange {
  const request = { method: 'GET', url: 'http://127.0.0.1/x', headers: {} };
  return {
    index: 0,
    generation: 'v3',
    operation: 'op',
    sentBy: 't',
    atMs: 0,
    durationMs: 1,
    request,
    status,
    headers: {},
    body: '',
    json: undefined,
  };
}

/**
 * Parses turns from lines such as `word: moment; moment`. If the word contains `|`, each moment belongs to another
 * concurrent action.
 */
function turns(lines: readonly string[]): Turn[] {
  return lines.map((line) => {
    const [word = '', texts = ''] = line.split(': ');
    const moments = texts.split('; ').map((text) => moment(text, word));
    return { word, parts: word.includes('|') ? moments.map((one) => [one]) : [moments] };
  });
}

function explainRule(lines: readonly string[], beyond: boolean): string | undefined {
  return explain(sessionModel({ beyond, isControlled: true }), turns(lines))?.rule;
}

const kept = ['kept: create', 'kept: look created', 'wait: look running; look idle steps=1'];
const once = ['once: create', 'once: look created', 'wait: look running; look stopped'];
const pair = 'follow:slow|follow:slow: dispatch; dispatch';

describe('a V3 session is explained', () => {
  it.each<[string, string[]]>([
    ['that shows idle before it works', ['kept: create', 'kept: look created; look idle; look running; look idle']],
    ['whose states the looks have missed', ['once: create', 'once: look created; look stopped']],
    ['that takes a follow-up', [...kept, 'follow: dispatch', 'follow: look running', 'wait: look idle']],
    ['that has ended its follow-up before the next look', [...kept, 'follow: dispatch; look idle; look idle']],
    ['that stops a moment later', [...kept, 'stop: stop 202', 'stop: look idle; look stopped']],
    ['that refuses a second stop', [...once, 'stop: stop 409', 'stop: look stopped']],
    ['that refuses a follow-up at its end', [...once, 'follow: dispatch 422', 'follow: look stopped']],
    ['that times out instead of taking a task', [...kept, 'follow: dispatch 409', 'follow: look timed_out']],
    ['that wins against its stop', [...kept, 'stop|follow: stop; dispatch', 'stop: look running; look stopped']],
    ['that loses against its stop', [...kept, 'follow|stop: dispatch 409; stop', 'stop: look stopped']],
    ['that is gone before the look', [...once, 'remove|look: remove; look 404', 'look: look 404']],
    ['that is gone after the look', [...once, 'remove|look: remove; look stopped', 'look: look 404']],
    ['that takes one of two tasks', [...kept, 'follow:slow|follow:slow: dispatch 409; dispatch', 'x: look running']],
    ['that takes any number of tasks', [...kept, pair, 'x: look running', 'follow: dispatch', 'x: look running']],
    ['that has no money left', [...kept, 'follow: dispatch 402', 'follow: look idle']],
    ['that does not offer follow-ups', [...kept, 'follow: dispatch 405', 'follow: look idle']],
    ['whose task alone is stopped', ['once:slow: create', 'x: look running', 'stopTask: stopTask; look idle']],
  ])('%s', (_name, lines) => {
    expect(explainRule(lines, true)).toBeUndefined();
  });
});

describe('nothing explains a V3 session', () => {
  it.each<[string, string[], string]>([
    ['that lives after its end', [...once, 'look: look running'], 'step-stopped-running'],
    ['that is created again', [...kept, 'look: look created'], 'step-idle-created'],
    ['that works without a task', [...kept, 'look: look running'], 'step-idle-running'],
    ['that is kept and stops by itself', ['kept: create', 'x: look running; look stopped'], 'step-running-stopped'],
    ['that is not kept and stays', ['once: create', 'x: look running; look idle'], 'step-running-idle'],
    ['that refuses a task while it is idle', [...kept, 'follow: dispatch 409', 'x: look idle'], 'idle-refuses'],
    ['that goes on after its stop', [...kept, 'stop: stop', 'stop: look idle; late idle'], 'stop-ignored'],
    [
      'that works after a race that no order ends so',
      [...kept, 'stop|stop: stop; stop', 'x: look stopped; look idle'],
      'step-stopped-idle',
    ],
  ])('%s, by the contract', (_name, lines, rule) => {
    expect(explainRule(lines, false)).toBe(rule);
  });

  it('that breaks while it stops, yet the contract says nothing against it', () => {
    const lines = [...kept, 'stop|stop: stop 500; stop 500', 'look: look stopped'];
    expect(explainRule(lines, false)).toBeUndefined();
    expect(explainRule(lines, true)).toBe('fault');
  });

  it.each<[string, string[], string]>([
    ['that takes a task at its end', [...once, 'follow: dispatch'], 'end-takes-task'],
    ['that breaks at a second stop', [...once, 'stop: stop 500'], 'fault'],
    ['that can be read after its deletion', [...once, 'remove: remove', 'look: look stopped'], 'removed-readable'],
    ['that is gone without a deletion', [...kept, 'look: look 404'], 'vanished'],
    ['whose steps fall', [...kept, 'look: look idle steps=0'], 'falls'],
    [
      'that refuses a task while it works and has taken two at once',
      [...kept, pair, 'x: look running steps=1', 'follow: dispatch 409', 'x: look running steps=1'],
      'took-two',
    ],
  ])('%s, beyond the contract only', (_name, lines, rule) => {
    expect(explainRule(lines, true)).toBe(rule);
    expect(explainRule(lines, false)).toBeUndefined();
  });
});

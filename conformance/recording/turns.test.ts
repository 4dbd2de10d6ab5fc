import { describe, expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import { NotRun } from '../core/outcome.ts';
import type { RecordedEvent } from '../core/recorder.ts';
import { getWantedKeys, requestNames, Turns, type Wanted, notRecorded } from './turns.ts';

const base = { generation: 'v3', operation: 'getSession', sentBy: 'test', status: 200, headers: {}, json: 1 } as const;

function exchange(index: number, path: string): RecordedEvent {
  const request = { method: 'GET', url: `http://127.0.0.1:1/${path}`, headers: {} };
  const kept: Exchange = { ...base, index, atMs: index * 10, durationMs: 5, request, body: String(index) };
  return { kind: 'exchange', exchange: kept };
}

function asked(path: string): Wanted {
  return requestNames({ ...base, method: 'GET', url: `http://127.0.0.1:1/${path}`, headers: {} });
}

async function readBody(happening: Promise<RecordedEvent>): Promise<string> {
  const given = await happening;
  return given.kind === 'exchange' ? given.exchange.body : given.kind;
}

describe('turns', () => {
  it('are returned in the order of the recording, whatever is requested first', async () => {
    const turns = new Turns([exchange(0, 'a'), exchange(1, 'b'), exchange(2, 'a')], getWantedKeys);
    const order: string[] = [];
    const ask = async (path: string): Promise<void> => {
      order.push(await readBody(turns.next(asked(path))));
    };
    await Promise.all([ask('b'), ask('a'), ask('a')]);
    expect(order).toEqual(['0', '1', '2']);
    expect(turns.nowMs()).toBe(25);
  });

  it('finish what follows from an event before the next event', async () => {
    const turns = new Turns([exchange(0, 'a'), exchange(1, 'c'), exchange(2, 'b')], getWantedKeys);
    const order: string[] = [];
    const chain = async (): Promise<void> => {
      await turns.next(asked('a'));
      await turns.pause();
      order.push(await readBody(turns.next(asked('c'))));
    };
    const other = async (): Promise<void> => {
      order.push(await readBody(turns.next(asked('b'))));
    };
    await Promise.all([other(), chain()]);
    expect(order).toEqual(['1', '2']);
  });

  it('let time pass only when nothing else can happen', async () => {
    const turns = new Turns([exchange(0, 'a')], getWantedKeys);
    const order: string[] = [];
    const pause = async (): Promise<void> => {
      await turns.pause();
      order.push('pause');
    };
    const ask = async (): Promise<void> => {
      order.push(await readBody(turns.next(asked('a'))));
    };
    await Promise.all([pause(), ask()]);
    expect(order).toEqual(['0', 'pause']);
  });

  it('go to the same kind of request where a derived value has made other words of it', async () => {
    const turns = new Turns([exchange(0, 'a'), exchange(1, 'altered-1'), exchange(2, 'b')], getWantedKeys);
    const bodies = [asked('b'), asked('altered-2'), asked('a')].map((wanted) => readBody(turns.next(wanted)));
    expect(await Promise.all(bodies)).toEqual(['2', '1', '0']);
  });

  it('end with the reason of the run where it was ended, and give what was still answered', async () => {
    const end = { why: 'interrupted', reason: 'stop' } as const;
    const turns = new Turns([exchange(0, 'a'), { kind: 'end', end }, exchange(1, 'b')], getWantedKeys);
    const controller = new AbortController();
    turns.onEnd(({ reason }) => controller.abort(new NotRun(reason)));
    const [ended, answered] = [turns.next(asked('b'), controller.signal), turns.next(asked('b'))];
    expect(await readBody(turns.next(asked('a'), controller.signal))).toBe('0');
    await expect(ended).rejects.toThrow('stop');
    expect(await readBody(answered)).toBe('1');
  });

  it('say that there is nothing of the kind', async () => {
    const turns = new Turns([exchange(0, 'a')], getWantedKeys);
    await expect(turns.next({ exact: 'x', kind: 'y' })).rejects.toThrow(notRecorded);
    expect(await readBody(turns.next(asked('a')))).toBe('0');
  });
});

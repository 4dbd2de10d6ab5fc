import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { whileSaying } from './while-saying.ts';

describe('work that takes a while', () => {
  let shown: string[];
  const screen = { isTTY: true, write: (text: string) => shown.push(text) };
  beforeEach(() => {
    shown = [];
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  /** Work that ends when the test says so. */
  const pending = (): { work: () => Promise<string>; end: () => void; fail: () => void } => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    return { work: () => promise, end: () => resolve('done'), fail: () => reject(new Error('broken')) };
  };

  it('says so from the first second on, and takes the line away at the end', async () => {
    const { work, end } = pending();
    const ended = whileSaying('looking at the machine', work, screen);
    await vi.advanceTimersByTimeAsync(999);
    expect(shown).toEqual([]);
    await vi.advanceTimersByTimeAsync(1001);
    expect(shown).toEqual(['\r\u001B[2Klooking at the machine · 1 s', '\r\u001B[2Klooking at the machine · 2 s']);
    end();
    expect(await ended).toBe('done');
    expect(shown.at(-1)).toBe('\r\u001B[2K');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes the line away when it fails, and the failure goes on', async () => {
    const { work, fail } = pending();
    const ended = whileSaying('looking', work, screen);
    const seen = ended.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    fail();
    expect(await seen).toEqual(new Error('broken'));
    expect(shown).toEqual(['\r\u001B[2Klooking · 1 s', '\r\u001B[2K']);
  });

  it('writes nothing where nobody looks on', async () => {
    const { work, end } = pending();
    const ended = whileSaying('looking', work, { ...screen, isTTY: undefined });
    await vi.advanceTimersByTimeAsync(5000);
    end();
    await ended;
    expect(shown).toEqual([]);
  });
});

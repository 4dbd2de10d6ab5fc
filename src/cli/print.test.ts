import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasColours, shownOn } from './print.ts';
import { withWaitMessage } from './with-wait-message.ts';

const [terminal, pipe] = [{ isTTY: true }, { isTTY: false }];

describe('the output of the command line', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('keeps its own colours on a terminal only', () => {
    vi.stubEnv('FORCE_COLOR', undefined);
    vi.stubEnv('NO_COLOR', '');
    expect(shownOn(terminal, '\u001B[31mred\u001B[39m\u001B[2J')).toBe('\u001B[31mred\u001B[39m\\u001b[2J');
    expect(shownOn(pipe, '\u001B[31mred')).toBe(String.raw`\u001b[31mred`);
    vi.stubEnv('NO_COLOR', '1');
    expect(shownOn(terminal, '\u001B[31mred')).toBe(String.raw`\u001b[31mred`);
  });

  it.each([
    { given: { FORCE_COLOR: '1' }, stream: pipe, want: true },
    { given: { FORCE_COLOR: '' }, stream: pipe, want: true },
    { given: { FORCE_COLOR: '1', NO_COLOR: '1' }, stream: pipe, want: true },
    { given: { FORCE_COLOR: '0' }, stream: terminal, want: false },
    { given: { FORCE_COLOR: 'false' }, stream: terminal, want: false },
    { given: { NO_COLOR: '1' }, stream: terminal, want: false },
  ])('follows the colour settings of the environment: $given', ({ given, stream, want }) => {
    for (const [name, value] of Object.entries({ FORCE_COLOR: undefined, NO_COLOR: undefined, ...given }))
      vi.stubEnv(name, value);
    expect(hasColours(stream)).toBe(want);
  });

  it.each([
    ['::error file=a::b', String.raw`\u003a:error file=a::b`],
    ['ok\n  ::add-mask::x\n', 'ok\n  \\u003a:add-mask::x\n'],
    ['a ##[group]b', String.raw`a \u0023#[group]b`],
    ['##vso[task.setvariable]x', String.raw`\u0023#vso[task.setvariable]x`],
    ["##teamcity[testFailed name='x']", String.raw`\u0023#teamcity[testFailed name='x']`],
    ['a::b, # and ## stay', 'a::b, # and ## stay'],
  ])('contains no command of a build server: %s', (given, want) => {
    expect(shownOn(pipe, given)).toBe(want);
  });
});

describe('whileSaying', () => {
  let shown: string[];
  const screen = { isTTY: true, write: (text: string) => shown.push(text) };
  beforeEach(() => {
    shown = [];
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  /** Returns work with a pending promise: `end` resolves it, and `fail` rejects it. */
  const pending = (): { work: () => Promise<string>; end: () => void; fail: () => void } => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    return { work: () => promise, end: () => resolve('done'), fail: () => reject(new Error('broken')) };
  };

  it('shows a line after one second, and removes it at the end', async () => {
    const { work, end } = pending();
    const ended = withWaitMessage('looking at the machine', work, screen);
    await vi.advanceTimersByTimeAsync(999);
    expect(shown).toEqual([]);
    await vi.advanceTimersByTimeAsync(1001);
    expect(shown).toEqual(['\r\u001B[2Klooking at the machine · 1 s', '\r\u001B[2Klooking at the machine · 2 s']);
    end();
    expect(await ended).toBe('done');
    expect(shown.at(-1)).toBe('\r\u001B[2K');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('removes the line and rejects when the work fails', async () => {
    const { work, fail } = pending();
    const ended = withWaitMessage('looking', work, screen);
    const seen = ended.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    fail();
    expect(await seen).toEqual(new Error('broken'));
    expect(shown).toEqual(['\r\u001B[2Klooking · 1 s', '\r\u001B[2K']);
  });

  it('writes nothing to a stream that is no terminal', async () => {
    const { work, end } = pending();
    const ended = withWaitMessage('looking', work, { ...screen, isTTY: undefined });
    await vi.advanceTimersByTimeAsync(5000);
    end();
    await ended;
    expect(shown).toEqual([]);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasColours, shownOn } from './print.ts';

const [terminal, pipe] = [{ isTTY: true }, { isTTY: false }];

describe('what the command line writes', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('keeps its own colours on a terminal and nowhere else', () => {
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
  ])('has colours as the environment says: $given', ({ given, stream, want }) => {
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
  ])('is no command of a build server: %s', (given, want) => {
    expect(shownOn(pipe, given)).toBe(want);
  });
});

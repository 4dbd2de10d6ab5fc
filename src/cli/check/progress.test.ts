import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProgressCounts } from '#conformance/index.ts';
import { createProgressView } from './progress.ts';

const counts = (): ProgressCounts => ({
  judged: 12,
  planned: 90,
  requests: 340,
  created: 2,
  spentUsd: '0.0125',
  elapsedMs: 7400,
});

function view(
  columns = 80,
  colour = false,
): { shown: () => string; live: () => string } & ReturnType<typeof createProgressView> {
  let text = '';
  const screen = { write: (more: string) => (text += more), columns };
  const made = createProgressView({ screen, colour });
  return { ...made, shown: () => text, live: () => text.split('\r\u001B[2K').at(-1) ?? '' };
}

describe('the progress of a run', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('is one line with the counts and the running scenarios', () => {
    const { listen, live, close } = view(100);
    listen({ kind: 'planned' }, counts);
    listen({ kind: 'scenarioStarted', name: 'kept-session' }, counts);
    listen({ kind: 'scenarioStarted', name: 'one-shot-run' }, counts);
    expect(live()).toBe('7 s · 12/90 judged · 340 requests · 2 created · 0.0125 USD · kept-session · +1');
    listen({ kind: 'scenarioEnded', name: 'kept-session' }, counts);
    expect(live()).toContain('one-shot-run');
    listen({ kind: 'cleaning' }, counts);
    expect(live()).toContain('cleaning up');
    close();
    expect(live()).toBe('');
  });

  it('prints a truncated finding above the line, and nothing for a pass', () => {
    const { listen, shown } = view(60);
    listen({ kind: 'judged', id: 'AUTH-01', level: 'MUST', verdict: 'pass' }, counts);
    expect(shown()).not.toContain('AUTH-01');
    const message = `answered 200; \u001B[31mexpected\u0007 401 ${'x'.repeat(90)}`;
    listen({ kind: 'judged', id: 'AUTH-02', level: 'MUST', verdict: 'violation', message }, counts);
    const [line = ''] = shown()
      .split('\r\u001B[2K')
      .filter((part) => part.includes('AUTH-02'));
    expect(line).toMatch(/^VIOLATION MUST AUTH-02 answered 200; \\u001b\[31mexpected.*…\n$/);
    expect(line.length).toBeLessThanOrEqual(60);
  });

  it('is updated by a timer until it is closed', () => {
    const { listen, shown, close } = view();
    listen({ kind: 'planned' }, counts);
    const before = shown().length;
    vi.advanceTimersByTime(1000);
    expect(shown().length).toBeGreaterThan(before);
    close();
    const closed = shown().length;
    vi.advanceTimersByTime(1000);
    expect(shown().length).toBe(closed);
  });

  it('has colours only when enabled', () => {
    const event = { kind: 'judged', id: 'A', level: 'MUST', verdict: 'violation' } as const;
    const [plain, coloured] = [view(80, false), view(80, true)];
    plain.listen(event, counts);
    coloured.listen(event, counts);
    expect(plain.shown()).not.toContain('\u001B[31m');
    expect(coloured.shown()).toContain('\u001B[31mVIOLATION');
  });
});

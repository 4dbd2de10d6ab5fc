import { describe, expect, it } from 'vitest';
import { createObservedClock } from './observed-clock.ts';

/** Clock of a run without responses. */
const open = () => createObservedClock({ all: () => [] });

describe('the clock of a scenario', () => {
  it('advances by each wait, so that a loop without responses reaches its deadline', async () => {
    const seen = open();
    const pause = seen.paused(() => Promise.resolve());
    await pause(5);
    await pause(0);
    expect(seen.nowMs()).toBe(6);
  });

  it('shows the time of a response, also after waits whose timers ended early', async () => {
    const seen = open();
    const pause = seen.paused(() => Promise.resolve());
    for (let responseMs = 4; responseMs <= 40; responseMs += 4) {
      await pause(5);
      seen.note(responseMs);
      expect(seen.nowMs()).toBe(responseMs);
    }
  });

  it('never goes back from one response to an earlier one', () => {
    const seen = open();
    seen.note(20);
    seen.note(10);
    expect(seen.nowMs()).toBe(20);
  });
});

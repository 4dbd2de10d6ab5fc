import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { joinStreams } from './connections.ts';

const chunk = Buffer.alloc(16_384);
const turns = 1_000;

/**
 * Creates one end of a connection. It counts the chunks that are read from it. It records written chunks, and leaves
 * their writes pending until `letGo` is called.
 */
function side(): { stream: Duplex; taken: () => number; given: Buffer[]; letGo: () => void } {
  let taken = 0;
  const given: Buffer[] = [];
  const waiting: (() => void)[] = [];
  let free = false;
  const stream = new Duplex({
    read() {
      taken += 1;
      this.push(taken > turns ? null : chunk);
    },
    write(data: Buffer, _encoding, done) {
      given.push(data);
      if (free) done();
      else waiting.push(done);
    },
  });
  const letGo = (): void => {
    free = true;
    for (const done of waiting.splice(0)) done();
  };
  return { stream, taken: () => taken, given, letGo };
}

describe('two connected streams', () => {
  it('apply backpressure', async () => {
    const [fast, slow] = [side(), side()];
    const over = joinStreams(fast.stream, slow.stream);
    fast.letGo();
    // More ticks than needed to transfer all data without backpressure.
    for (let turn = 0; turn < 2 * turns; turn += 1) await setImmediate();
    expect(fast.taken()).toBeLessThan(20);
    slow.letGo();
    await over;
    expect(slow.given).toHaveLength(turns);
  });

  it('are both destroyed when one fails', async () => {
    const [one, other] = [side(), side()];
    const over = joinStreams(one.stream, other.stream);
    one.stream.destroy(new Error('cut'));
    await over;
    expect(other.stream.destroyed).toBe(true);
  });
});

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { WrongLength, exactly } from './exactly.ts';

async function* from(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** What came through, and whether it was refused. */
async function passed(pieces: readonly Uint8Array[], size: number): Promise<{ bytes: Buffer; refused: boolean }> {
  const found: Uint8Array[] = [];
  try {
    for await (const piece of exactly(from(pieces), size)) found.push(piece);
    return { bytes: Buffer.concat(found), refused: false };
  } catch (error) {
    if (!(error instanceof WrongLength)) throw error;
    return { bytes: Buffer.concat(found), refused: true };
  }
}

it('hands on all bytes of the right number, and of another never as many as asked for', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 5 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 0, max: 20 }), async (given, size) => {
      const whole = Buffer.concat(given);
      const { bytes, refused } = await passed(given, size);
      expect(refused).toBe(whole.length !== size);
      if (refused) expect(bytes.length < size || size === 0).toBe(true);
      else expect(bytes.equals(whole)).toBe(true);
    }),
  );
});

it('says what it found', async () => {
  const drain = async (pieces: readonly Uint8Array[]): Promise<void> => {
    for await (const _piece of exactly(from(pieces), 3));
  };
  await expect(drain([Buffer.from('ab')])).rejects.toMatchObject({ found: '2' });
  await expect(drain([Buffer.from('abcd')])).rejects.toMatchObject({ found: 'more than 3' });
});

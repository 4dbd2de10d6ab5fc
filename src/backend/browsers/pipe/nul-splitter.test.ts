import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNulSplitter } from './nul-splitter.ts';

test('gives back the texts however the stream is cut', () => {
  const texts = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')));
  fc.assert(
    fc.property(texts, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (given, sizes) => {
      const stream = Buffer.from(given.map((text) => `${text}\0`).join(''));
      const got: string[] = [];
      const push = createNulSplitter((text) => got.push(text));
      for (let start = 0; start < stream.length; ) {
        const end = start + (sizes.next().value ?? 1);
        push(stream.subarray(start, end));
        start = end;
      }
      // Compared as bytes: lone surrogates have no UTF-8 form of their own.
      expect(got.map((text) => Buffer.from(text))).toEqual(given.map((text) => Buffer.from(text)));
    }),
    { seed: 20_261_120 },
  );
});

test('refuses a message that never ends', () => {
  const push = createNulSplitter(() => undefined);
  const chunk = Buffer.alloc(128 * 1024 * 1024, 'x');
  push(chunk);
  push(chunk);
  expect(() => push(Buffer.from('x'))).toThrow(RangeError);
});

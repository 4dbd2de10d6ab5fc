import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createNulSplitter } from './nul-splitter.ts';

test('gives back the texts however the stream is cut', () => {
  const texts = fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')));
  fc.assert(
    fc.property(texts, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), (given, sizes) => {
      const stream = Buffer.from(given.map((text) => `${text}\0`).join(''));
      const got: string[] = [];
      const listener = {
        text: (bytes: Buffer) => got.push(bytes.toString('utf8')),
        tooLarge: () => got.push('too large'),
      };
      const push = createNulSplitter(listener, 1_000_000);
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

test('a text that is too large is thrown away up to its end, and those after it are delivered', () => {
  const got: string[] = [];
  const listener = {
    text: (bytes: Buffer) => got.push(bytes.toString('utf8')),
    tooLarge: (start: string) => got.push(`too large: ${start}`),
  };
  const push = createNulSplitter(listener, 1_000);
  const stream = Buffer.from(`before\0{"id":7,${'x'.repeat(5_000)}\0after\0${'y'.repeat(1_000)}\0`);
  for (let start = 0; start < stream.length; start += 100) push(stream.subarray(start, start + 100));
  expect(got).toEqual(['before', `too large: {"id":7,${'x'.repeat(248)}`, 'after', 'y'.repeat(1_000)]);
});

test('says which text lies in memory of its own', () => {
  const got: (readonly [string, boolean])[] = [];
  const text = (bytes: Buffer, isOwn: boolean): void => void got.push([String(bytes), isOwn]);
  const push = createNulSplitter({ text, tooLarge: () => undefined }, 1_000);
  const chunk = Buffer.from('whole\0in two ');
  push(chunk);
  push(Buffer.from('parts\0'));
  expect(got).toEqual([
    ['whole', false],
    ['in two parts', true],
  ]);
});

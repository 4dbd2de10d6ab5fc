import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cursorOf, pathOf } from './file-cursor.ts';

it('a cursor stands for its path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (path) => {
      expect(pathOf(cursorOf(path))).toBe(path);
    }),
  );
});

it('text that is none of ours stands for nothing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(pathOf(text)).toBeNull();
    }),
  );
  const changed = [`${cursorOf('a')}=`, `${cursorOf('a')} `, cursorOf('')];
  expect(changed.map(pathOf)).toEqual([null, null, null]);
});

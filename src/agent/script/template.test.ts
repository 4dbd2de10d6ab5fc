import { expect, test } from 'vitest';
import { threadTimeMs } from '#lib/testing/thread-time.ts';
import { createMarks, readTemplate } from './template.ts';

const marks = (...values: readonly string[]) =>
  createMarks(new Map(values.map((value, index) => [String(index + 1), value])));

test.each([
  { values: ['pot'], text: 'A pot, a teapot, pots and a pot.', want: 'A @{{1}}, a teapot, pots and a @{{1}}.' },
  { values: ['tea', 'tea pot'], text: 'tea pot and tea', want: '@{{2}} and @{{1}}' },
  { values: ['a b&c'], text: '/find?q=a%20b%26c&x=a+b%26c', want: '/find?q=@{{1:url}}&x=@{{1:form}}' },
  { values: ['.de'], text: 'shop.de', want: 'shop@{{1}}' },
  { values: ['x'], text: 'x', want: 'x' },
  { values: ['𝒳y', 'é1'], text: '𝒳y a𝒳y é1é', want: '@{{1}} a𝒳y é1é' },
])('puts marks in place of whole values: $text', ({ values, text, want }) => {
  expect(marks(...values).mark(text)).toBe(want);
});

test('reads the inputs of a task and writes them back', () => {
  const { text, goal, values } = readTemplate('Search for @{{tea pot}} and @{{cup}}, then @{{tea pot}}');
  expect(text).toBe('Search for @{{1}} and @{{2}}, then @{{1}}');
  expect(goal).toBe('Search for tea pot and cup, then tea pot');
  expect(createMarks(values).mark(goal)).toBe(text);
});

// A regular expression of the same values takes more than a hundred times as long.
test('finds many values that begin alike in time linear in the text', () => {
  const alike = marks(...Array.from({ length: 50 }, (_, index) => `${'a'.repeat(450 + index)}b`));
  const [short, long] = [20_000, 200_000].map((length) => {
    const text = `${'a'.repeat(length)} ${'a '.repeat(length / 2)}`;
    const before = threadTimeMs();
    expect(alike.mark(text)).toBe(text);
    return threadTimeMs() - before;
  });
  expect(long).toBeLessThan(40 * Math.max(short ?? 0, 10));
});

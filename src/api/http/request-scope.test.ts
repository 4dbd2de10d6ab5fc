import { expect, it } from 'vitest';
import { requestId, shownPath } from './request-scope.ts';

const made = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

it.each(['a', 'job-17.step:2', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'x'.repeat(128)])(
  'takes over %s',
  (given) => expect(requestId(given)).toBe(given),
);

it.each([undefined, '', ' ', 'a b', 'a\nb', 'a"b', '{}', '<b>', 'é', '-a', 'x'.repeat(129), ['a', 'b']])(
  'makes one of its own instead of %j',
  (given) => expect(requestId(given)).toMatch(made),
);

it('generates a new id for each request', () => {
  expect(requestId(undefined)).not.toBe(requestId(undefined));
});

const token = 'yWZ3oT-4_kQ9xL2mB7vN1cR8sD5fG6hJ';

/** Encodes every character of a text as many times as `rounds`. */
function encodeTimes(text: string, rounds: number): string {
  const once = Array.from(text, (letter) => `%${(letter.codePointAt(0) ?? 0).toString(16)}`).join('');
  return once.replaceAll('%', `%${'25'.repeat(rounds - 1)}`);
}

it('shows a path of 16 KB that is encoded thousands of times as a short text', () => {
  expect(shownPath(`/%${'25'.repeat(8_000)}`)).toBe('/…');
  expect(shownPath(`/%${'25'.repeat(1_000)}`)).toBe('…');
});

it.each([1, 4, 5, 6])('shows no token that is encoded %d times', (rounds) => {
  const shown = shownPath(`/elsewhere/${encodeTimes(token, rounds)}`);
  expect(shown).toBe(rounds > 4 ? '…' : '/elsewhere/…');
});

it('shows the path before a query that is encoded five times', () => {
  expect(shownPath(`/api/v4/runs?next=${encodeTimes('/', 5)}`)).toBe('/api/v4/runs');
});

it.each([1, 10, 19, 20, 32])('hides the first %d characters of a token in which a long path is cut', (kept) => {
  const start = `/${'a.'.repeat(1_024)}`.slice(0, 2_047 - kept);
  expect(shownPath(`${start}/${token}/${'b'.repeat(16_000)}`)).toBe(`${start}/…`);
  expect(shownPath(`http://a.test${start}/${encodeTimes(token, 1)}`)).toBe(`${start}/…`);
});

it('shows a path of 2,048 characters, and a longer path without a slash as an ellipsis', () => {
  const longest = `/${'a.'.repeat(1_024)}`.slice(0, 2_048);
  expect(shownPath(longest)).toBe(longest);
  expect(shownPath('a.'.repeat(8_000))).toBe('…');
});

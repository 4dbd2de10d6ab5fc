import { describe, expect, it } from 'vitest';
import { getWords } from './api/create-api.ts';
import { loginSecret, getHash, parsePlace } from './place.ts';
import { bytes, ago, span, usd, formatUsdMicros, formatUsdText, ownPath } from './format.ts';

describe('what the console writes', () => {
  it.each([
    [0, '$0'],
    [0.00001, '<$0.0001'],
    [0.0005, '$0.0005'],
    [0.05, '$0.05'],
    [0.0574, '$0.0574'],
    [12, '$12.00'],
    [1234.567, '$1234.57'],
  ])('%d dollars as %s', (amount, want) => {
    expect(usd(amount)).toBe(want);
    expect(formatUsdText(amount.toFixed(6))).toBe(want);
    expect(formatUsdMicros(amount * 1_000_000)).toBe(want);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [52_428_800, '52 MB'],
  ])('%d bytes as %s', (count, want) => expect(bytes(count)).toBe(want));

  it.each([
    [-5_000, 'just now'],
    [59_999, 'just now'],
    [60_000, '1 min ago'],
    [7_200_000, '2 h ago'],
    [90_000_000, '1 d ago'],
    [2_592_000_000, '2026-11-01'],
  ])('a moment %d ms ago as %s', (ms, want) => {
    const at = '2026-11-01T09:00:00.000Z';
    expect(ago(at, Date.parse(at) + ms)).toBe(want);
  });

  it.each([
    [-1, '<0.1 s'],
    [99, '<0.1 s'],
    [440, '0.4 s'],
    [9_940, '9.9 s'],
    [9_960, '10 s'],
    [59_400, '59 s'],
    [125_000, '2 min 5 s'],
    [3_720_000, '1 h 2 min'],
  ])('a span of %d ms as %s', (ms, want) => expect(span(ms)).toBe(want));
});

describe('a refusal in words', () => {
  it.each([
    { given: { detail: 'Run not found' }, want: 'Run not found' },
    {
      given: { detail: [{ loc: ['body', 'files', 0, 'name'], msg: 'Field required', type: 'missing' }] },
      want: 'files.0.name: Field required',
    },
    {
      given: {
        detail: [
          { loc: ['body'], msg: 'No', type: 'x' },
          { loc: ['path', 'a'], msg: 'Why' },
        ],
      },
      want: 'No. a: Why',
    },
    { given: { detail: { code: 'cap', message: 'Over', cap: 1, spent: 2 } }, want: 'Over' },
    { given: null, want: 'The service answered with status 502' },
    { given: { detail: [] }, want: 'The service answered with status 502' },
  ])('$want', ({ given, want }) => expect(getWords(502, given)).toBe(want));
});

describe('a place', () => {
  it.each([
    ['#/tasks/new', { page: 'tasks', id: 'new' }],
    ['#/workspaces/0b1c-9', { page: 'workspaces', id: '0b1c-9' }],
    ['#/workspaces/%zz', { page: 'workspaces', id: null }],
    ['#/costs', { page: 'costs', id: null }],
    ['', { page: 'tasks', id: null }],
    ['#/nowhere/x', { page: 'tasks', id: null }],
    ['#/constructor/x', { page: 'tasks', id: null }],
  ] as const)('%s', (hash, want) => {
    expect(parsePlace(hash)).toEqual(want);
    expect(parsePlace(getHash(want))).toEqual(want);
  });

  it('the secret of a link is one of our alphabet and nothing else', () => {
    expect(loginSecret(`#login=${'a-_Z9'.repeat(8)}`)).toBe('a-_Z9'.repeat(8));
    expect(['#login=', '#login=short', `#login=${'a'.repeat(40)}<`, '#/tasks', ''].map(loginSecret)).toEqual(
      Array.from({ length: 5 }, () => null),
    );
  });

  it('an address of the service leads back to where the page is', () => {
    expect(ownPath('https://svc.example/live/tok', 2)).toBe('live/tok');
    expect(ownPath('https://svc.example/below/files/key/a.txt?expires=1&signature=2', 3)).toBe(
      'files/key/a.txt?expires=1&signature=2',
    );
  });
});

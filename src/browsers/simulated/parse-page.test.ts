import { expect, test } from 'vitest';
import { threadTimeMs } from '#lib/testing/thread-time.ts';
import { parsePage } from './parse-page.ts';

const base = 'https://a.example/';

test('reads the elements of a page', () => {
  const html = `<title>T</title><h1>One</h1><H2>Two</H2><a href="/b">B &amp; C</a><style>x</style>
    <table><caption>K</caption><tr><th>a</th></tr><tr><td>1</td></tr></table><label>L</label><input name="n"><button>Go</button>`;
  expect(parsePage(html, base)).toEqual({
    title: 'T',
    headings: ['One', 'Two'],
    links: [{ text: 'B & C', url: 'https://a.example/b' }],
    tables: [{ caption: 'K', header: ['a'], rows: [['1']] }],
    buttons: ['Go'],
    fields: ['L', 'n'],
    text: 'One Two B & C K a 1 L Go',
  });
});

// A regular expression with backtracking took seconds to minutes for each of these pages.
test.each(['<a >', '<a ', '<', '<script>', '<table><tr>', '<h1><h2>', '<input ', '&amp', 'İ<b>'])(
  'reads a page of nothing but %s in linear time',
  (unit) => {
    const before = threadTimeMs();
    parsePage(unit.repeat(100_000), base);
    expect(threadTimeMs() - before).toBeLessThan(5000);
  },
);

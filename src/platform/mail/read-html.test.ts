import { expect, test } from 'vitest';
import { linksIn, readHtml } from './read-html.ts';

const bounds = { charactersMax: 1_000_000, linksMax: 1_000 };

const mails = [
  { name: 'blocks end lines', html: '<p>One</p><p>Two<br>Three</p>', want: 'One\n\nTwo\nThree' },
  { name: 'cells stand apart', html: '<table><tr><td>4</td><td>7</td></tr></table>', want: '4 7' },
  {
    name: 'what nobody sees is left out',
    html: '<style>p{}</style><!-- x --><script>a<b</script><p>Seen</p>',
    want: 'Seen',
  },
  {
    name: 'characters by name and number',
    html: 'Caf&eacute; &amp; &#8364;5 &#x1F600; &unknown;',
    want: 'Café & €5 😀 &unknown;',
  },
  { name: 'a lonely bracket is text', html: 'a < b and <3', want: 'a < b and <3' },
  {
    name: 'a bracket in a quoted value ends no tag',
    html: '<img alt="a > b"><b title=\'x>y\'>bold</b>',
    want: 'a > bbold',
  },
  { name: 'an apostrophe quotes nothing', html: "<p don't>Text</p> more", want: 'Text\nmore' },
  { name: 'what is open at the end is dropped', html: 'Text <a href="x', want: 'Text' },
] as const;

for (const { name, html, want } of mails)
  test(`reads HTML: ${name}`, () => expect(readHtml(html, bounds).text).toBe(want));

test('finds links with their visible text, images included', () => {
  const html =
    '<a class=x href="https://a.example/?a=1&amp;b=2"><b>Confirm</b> now</a> <A HREF=\'https://b.example/\'><img alt="Logo"></A> <a name="x">no</a>';
  expect(readHtml(html, bounds).links).toEqual([
    { text: 'Confirm now', url: 'https://a.example/?a=1&b=2' },
    { text: 'Logo', url: 'https://b.example/' },
  ]);
});

// Each of these pieces took minutes with a search that starts again at every tag.
for (const piece of ['<a ', '<a href="', '<!--', '<script', '</script', '<script></script ', '<', "<a b='", '&'])
  test(`reads a million times ${JSON.stringify(piece)} in one pass`, () => {
    expect(readHtml(piece.repeat(200_000), bounds).links).toEqual([]);
  });

test('returns links of the markup first, then URLs of the text, each once', () => {
  const marked = [
    { text: 'Confirm', url: 'https://a.example/confirm?t=1' },
    { text: 'Write to us', url: 'mailto:a@example.com' },
    { text: 'Run', url: 'javascript:alert(1)' },
  ];
  const text = 'Open https://a.example/confirm?t=1 or (see https://b.example/x_(1)). https://c.example/。';
  expect(linksIn(text, marked, 10)).toEqual([
    { text: 'Confirm', url: 'https://a.example/confirm?t=1' },
    { text: 'https://b.example/x_(1)', url: 'https://b.example/x_(1)' },
    { text: 'https://c.example/', url: 'https://c.example/' },
  ]);
});

test('stops at the limit', () => {
  expect(linksIn('https://a.example https://b.example https://c.example', [], 2)).toHaveLength(2);
});

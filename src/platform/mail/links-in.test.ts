import { expect, test } from 'vitest';
import { linksIn } from './links-in.ts';

test('takes links of the markup first, then those of the text, each once', () => {
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

test('stops at the most that are kept', () => {
  expect(linksIn('https://a.example https://b.example https://c.example', [], 2)).toHaveLength(2);
});

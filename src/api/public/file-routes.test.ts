import { expect, it } from 'vitest';
import { attachment } from './file-routes.ts';

it.each([
  { given: 'report.pdf', want: `attachment; filename="report.pdf"; filename*=UTF-8''report.pdf` },
  { given: `a"b\\c%41.txt`, want: `attachment; filename="a_b_c_41.txt"; filename*=UTF-8''a%22b%5Cc%2541.txt` },
  { given: `é ('*)!`, want: `attachment; filename="_ ('*)!"; filename*=UTF-8''%C3%A9%20%28%27%2A%29%21` },
  {
    given: 'a\r\nSet-Cookie: x=1\0.txt',
    want: `attachment; filename="a__Set-Cookie: x=1_.txt"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x%3D1%00.txt`,
  },
  { given: '\ud800.txt', want: `attachment; filename="_.txt"; filename*=UTF-8''%EF%BF%BD.txt` },
])('$given', ({ given, want }) => {
  expect(attachment(given)).toBe(want);
});

import type { Draw } from '../draw.ts';

/** Texts that are known to cause bugs. */
const odd = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\uFEFF',
  '\u2028\u2029',
  '\uD800',
  '\uDFFF\uD800',
  'é\u0301\u0301\u0301',
  '\u202Eabc',
  '🙂👍🏽👨‍👩‍👧‍👦',
  '漢字',
  '../../etc/passwd',
  '..\\..\\x',
  '%00',
  '%2e%2e%2f',
  "'; drop table sessions; --",
  '" or 1=1',
  '<script>alert(1)</script>',
  '${7*7}{{7*7}}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  'NaN',
  '\r\nSet-Cookie: a=b',
  'a'.repeat(101),
  'a'.repeat(256),
  'ß'.repeat(1000),
  'a'.repeat(70_000),
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  'http://169.254.169.254/',
  'javascript:alert(1)',
  'data:text/html,<title>x</title>',
  'https://a.example/?q=1#x',
  '2026-02-30T25:61:61Z',
  '0000-00-00T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
] as const;

/** Returns a text that is known to cause bugs, or up to 40 random Unicode characters. */
export function oddText(draw: Draw): string {
  if (draw.chance(0.6)) return draw.of(odd);
  const top = draw.of([0x80, 0x100, 0x800, 0x1_0000, 0x11_0000]);
  return String.fromCodePoint(...draw.list([0, 40], () => draw.below(top)));
}

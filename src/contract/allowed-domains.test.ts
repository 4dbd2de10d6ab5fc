import { expect, test } from 'vitest';
import { isAllowedAddress } from './allowed-domains.ts';

test.each([
  {
    domain: 'example.com',
    yes: ['https://example.com/a', 'http://EXAMPLE.com:8080'],
    no: ['https://www.example.com', 'https://example.com.evil.test', 'https://example.org'],
  },
  {
    domain: '*.Example.com',
    yes: ['https://example.com', 'https://a.b.example.com/'],
    no: ['https://notexample.com', 'https://example.com.evil.test'],
  },
  { domain: 'https://example.com', yes: ['https://example.com/'], no: ['http://example.com/', 'wss://example.com/'] },
  { domain: '127.0.0.1:8080', yes: ['http://127.0.0.1:8080/x'], no: ['http://127.0.0.1/', 'http://127.0.0.2:8080'] },
  { domain: 'example.com:443', yes: ['https://example.com'], no: ['http://example.com', 'https://example.com:8443'] },
])('$domain', ({ domain, yes, no }) => {
  expect(yes.filter((address) => !isAllowedAddress([domain], address))).toEqual([]);
  expect(no.filter((address) => isAllowedAddress([domain], address))).toEqual([]);
});

test('allows a host of any entry, and no host without entries', () => {
  expect(isAllowedAddress(['a.example', 'b.example'], 'https://b.example')).toBe(true);
  expect(isAllowedAddress([], 'https://b.example')).toBe(false);
});

test.each([
  'https://user:b.example@evil.test',
  'https://evil.test/?b.example',
  'https://b.example\\@evil.test',
  '//b.example',
  'b.example',
  'file:///etc/passwd',
])('rejects the disguised URL %s', (address) => {
  const deceiving = address === 'https://b.example\\@evil.test' ? ['evil.test'] : ['b.example'];
  expect(isAllowedAddress(deceiving, address)).toBe(false);
});

test.each(['about:blank', 'data:text/html,x', 'blob:null/x'])('allows %s, which has no host', (address) => {
  expect(isAllowedAddress(['b.example'], address)).toBe(true);
});

import { describe, expect, it } from 'vitest';
import { readCustomProxy } from './custom-proxy.ts';

const port = 1080;

describe('the host of a custom proxy', () => {
  it.each([
    ['proxy.example', 'http', 'proxy.example'],
    ['http://Proxy.EXAMPLE', 'http', 'proxy.example'],
    ['SOCKS5://proxy_1.example', 'socks5', 'proxy_1.example'],
    ['https://bücher.example', 'https', 'xn--bcher-kva.example'],
    ['192.0.2.1', 'http', '192.0.2.1'],
    ['127.1', 'http', '127.0.0.1'],
    ['2001:db8::1', 'http', '2001:db8::1'],
    ['socks5://[2001:db8::1]', 'socks5', '2001:db8::1'],
  ])('reads %s as %s to %s', (host, scheme, read) => {
    const nobody = { username: null, password: null, ignoreCertErrors: false };
    expect(readCustomProxy({ host, port }, [])).toEqual({ scheme, host: read, port, ...nobody });
  });

  it.each([
    '',
    'http://',
    'a b',
    'a:1',
    'a/b',
    'user@a',
    'ftp://a',
    '1.2.3.4.5',
    'fe80::1%eth0',
    'a\nb',
    'a?b',
    'a#b',
    '%61',
  ])('rejects %j', (host) => {
    expect(readCustomProxy({ host, port }, ['p'])).toMatchObject({ code: 'proxy_host_malformed' });
  });
});

it('returns null for a request without a proxy', () => {
  expect([readCustomProxy(null, []), readCustomProxy(undefined, [])]).toEqual([null, null]);
});

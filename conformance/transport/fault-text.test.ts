import { expect, it } from 'vitest';
import { connectionAdvice, faultText } from './fault-text.ts';

it.each([
  { address: 'https://x', reason: 'self-signed certificate', want: 'pass --ca FILE' },
  { address: 'https://x', reason: 'unable to verify the first certificate', want: 'pass --ca FILE' },
  { address: 'wss://x', reason: 'DEPTH_ZERO_SELF_SIGNED_CERT', want: 'pass --ca FILE' },
  { address: 'https://x', reason: 'certificate has expired', want: 'renew the certificate' },
  { address: 'https://x', reason: "Hostname/IP does not match certificate's altnames", want: 'pass the name' },
  { address: 'https://x', reason: 'TLS: wrong version number', want: 'pass http:// in place of https://' },
  { address: 'http://x', reason: 'other side closed', want: 'pass https:// in place of http://' },
  {
    address: 'http://x',
    reason: 'The plain HTTP request was sent to HTTPS port',
    want: 'pass https:// in place of http://',
  },
  { address: 'ws://x', reason: 'ECONNRESET', want: 'pass wss:// in place of ws://' },
])('advises $want for $reason of $address', ({ address, reason, want }) => {
  expect(connectionAdvice(new URL(address), reason)).toContain(want);
});

it.each(['http://x', 'https://x'])('has no advice for a refused connection to %s', (address) => {
  expect(connectionAdvice(new URL(address), 'connect ECONNREFUSED 127.0.0.1:1')).toBeUndefined();
});

it('names the refusal of TLS without the source lines of OpenSSL', () => {
  const message =
    'write EPROTO 40CD:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../ssl.c:77:\n';
  expect(faultText(new Error(message), 1)).toBe('TLS: wrong version number');
});

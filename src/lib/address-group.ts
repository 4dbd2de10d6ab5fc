import { isIPv4, isIPv6 } from 'node:net';

const networkGroups = 4;

/**
 * Returns the address group that counts as one client, for example for rate limits. This is an IPv4 address itself, or
 * the /64 prefix of an IPv6 address. An IPv4 address in IPv6 notation counts as IPv4. Returns a text that is no IP
 * address unchanged.
 */
export function addressGroup(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%', 1).join('').toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 2 * networkGroups - before.length - after.length) }, () => '0');
  const groups = [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.slice(0, networkGroups).join(':')}::/64`;
}

import { isIPv4, isIPv6 } from 'node:net';

const networkGroups = 4;

/**
 * What one person can easily have of addresses: an IPv4 address is itself, of IPv6 the first 64 bits count. An IPv4 address that
 * is written as one of IPv6 is the IPv4 address; what is no address stays as it is.
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

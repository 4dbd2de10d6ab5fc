import { describe, expect, test } from 'vitest';
import { checkAddress, parseAllowList, unmapped } from './resolve-target.ts';

describe('forbids', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'this machine'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'carrier-grade'],
    ['169.254.169.254', 'link-local'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['::', 'this machine'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['ff02::1', 'multicast'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0:0:0:0:0:ffff:7f00:0001', 'loopback'],
    ['::ffff:169.254.169.254', 'link-local'],
    ['::ffff:10.0.0.1', 'private'],
    ['::127.0.0.1', 'loopback'],
    ['::ffff:0:127.0.0.1', 'loopback'],
    ['64:ff9b::7f00:1', 'translation'],
    ['2002:7f00:1::', '6to4'],
    ['2001:db8::1', 'documentation'],
    ['5f00::1', 'outside the public internet'],
    ['1::1', 'outside the public internet'],
    ['4000::1', 'outside the public internet'],
    ['localhost', 'not an IP address'],
    ['2130706433', 'not an IP address'],
    ['', 'not an IP address'],
  ])('%s', (address, reason) => {
    expect(checkAddress(address)).toContain(reason);
  });
});

describe('lets through', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '169.253.255.255',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ])('%s', (address) => {
    expect(checkAddress(address)).toBeNull();
  });
});

test('shows IPv4 in IPv6 clothes as what it is', () => {
  expect(unmapped('::ffff:7f00:1')).toBe('127.0.0.1');
  expect(unmapped('::FFFF:10.1.2.3')).toBe('10.1.2.3');
  expect(unmapped('2606:4700:0:0::1111')).toBe('2606:4700::1111');
});

const allowed = parseAllowList(['127.0.0.1:8080', '[::1]:81', '10.1.0.0/16', 'fd00::/8']);

test.each([
  ['127.0.0.1', 8080, true],
  ['127.0.0.1', 8081, false],
  ['127.0.0.2', 8080, false],
  ['::ffff:127.0.0.1', 8080, true],
  ['::1', 81, true],
  ['::1', 80, false],
  ['10.1.255.255', 1, true],
  ['10.2.0.0', 1, false],
  ['fd12::1', 443, true],
  ['fe80::1', 443, false],
] as const)('%s port %i: %s', (address, port, want) => {
  expect(allowed(address, port)).toBe(want);
});

test.each([
  'localhost:80',
  '127.0.0.1',
  '127.0.0.1:0',
  '127.0.0.1:70000',
  '10.0.0.0/x',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  'fd00::/129',
  'example.com/8',
  '[::1]',
  '',
])('refuses the entry "%s"', (entry) => {
  expect(() => parseAllowList([entry])).toThrow(RangeError);
  expect(() => parseAllowList([entry])).toThrow(`${entry} is n`);
});

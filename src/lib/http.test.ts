import { expect, test } from 'vitest';
import { addressGroup } from './http.ts';

test.each([
  { given: '192.0.2.1', want: '192.0.2.1' },
  { given: '::ffff:192.0.2.1', want: '192.0.2.1' },
  { given: '2001:db8:1:2:3:4:5:6', want: '2001:db8:1:2::/64' },
  { given: '2001:DB8:0001:2::9', want: '2001:db8:1:2::/64' },
  { given: '2001:db8::1', want: '2001:db8:0:0::/64' },
  { given: '::1', want: '0:0:0:0::/64' },
  { given: 'fe80::1%eth0', want: 'fe80:0:0:0::/64' },
  { given: '', want: '' },
])('groups $given as $want', ({ given, want }) => {
  expect(addressGroup(given)).toBe(want);
});

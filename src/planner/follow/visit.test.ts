import { expect, it } from 'vitest';
import { parseOutline } from '#agent/page-node.ts';
import { getSameSiteLinks } from './visit.ts';

it('lists links of the same origin, without those whose address is invalid or that may change data', () => {
  const page = parseOutline(
    [
      '- link "Prices":',
      '  - /url: /prices',
      '- link "Broken":',
      '  - /url: http://[',
      '- link "Delete all":',
      '  - /url: /delete',
      '- link "Elsewhere":',
      '  - /url: https://other.example/',
      '- link "Here":',
      '  - /url: /start',
    ].join('\n'),
  );
  expect(getSameSiteLinks({ url: () => 'https://a.example/start', page: () => page })).toEqual([
    'https://a.example/prices',
  ]);
});

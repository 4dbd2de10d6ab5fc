import { describe, expect, test } from 'vitest';
import { parseAllowList, type Resolve, refuse, resolveTarget } from './resolve-target.ts';

const publicAddresses = { address: '93.184.215.14', family: 4 };
const loopback = { address: '127.0.0.1', family: 4 };
const names: Record<string, readonly { address: string; family: number }[]> = {
  'public.example': [publicAddresses],
  'rebound.example': [publicAddresses, loopback],
  '2130706433': [loopback],
  'empty.example': [],
};
const resolve: Resolve = async (hostname) => {
  const known = names[hostname];
  if (known === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
  return known;
};

/** Returns the reason that a page receives for a host name, whatever the resolver returned. */
const hidden = (hostname: string): string => `${hostname} is unknown or not part of the public internet`;

describe('a target', () => {
  test.each([
    { hostname: 'public.example', want: { kind: 'open', addresses: [publicAddresses] } },
    { hostname: '8.8.8.8', want: { kind: 'open', addresses: [{ address: '8.8.8.8', family: 4 }] } },
    { hostname: '[2606:4700::1111]', want: { kind: 'open', addresses: [{ address: '2606:4700::1111', family: 6 }] } },
    {
      hostname: 'rebound.example',
      want: {
        kind: 'refused',
        reason: 'rebound.example leads to 127.0.0.1, which is loopback',
        told: hidden('rebound.example'),
      },
    },
    {
      hostname: '2130706433',
      want: { kind: 'refused', reason: '2130706433 leads to 127.0.0.1, which is loopback', told: hidden('2130706433') },
    },
    { hostname: '[::1]', want: refuse('::1 leads to ::1, which is loopback') },
    {
      hostname: 'Metadata.google.internal.',
      want: refuse('Metadata.google.internal. is a cloud metadata service'),
    },
    {
      hostname: 'update.googleapis.com',
      want: refuse("update.googleapis.com is the browser's own traffic"),
    },
    {
      hostname: 'nobody.example',
      want: { kind: 'unknown', reason: 'the host nobody.example is unknown', told: hidden('nobody.example') },
    },
    {
      hostname: 'empty.example',
      want: { kind: 'unknown', reason: 'the host empty.example is unknown', told: hidden('empty.example') },
    },
  ])('$hostname is $want.kind', async ({ hostname, want }) => {
    expect(await resolveTarget({ hostname, port: 80 }, parseAllowList([]), resolve)).toEqual(want);
  });

  test('on the allow list is open on that port only', async () => {
    const allowed = parseAllowList(['127.0.0.1:8080']);
    expect(await resolveTarget({ hostname: '127.0.0.1', port: 8080 }, allowed, resolve)).toMatchObject({
      kind: 'open',
    });
    expect(await resolveTarget({ hostname: '127.0.0.1', port: 8081 }, allowed, resolve)).toMatchObject({
      kind: 'refused',
    });
  });
});

test('a fault of the resolver itself is not taken for an answer', async () => {
  const broken: Resolve = async () => {
    throw new TypeError('broken');
  };
  await expect(resolveTarget({ hostname: 'a.example', port: 80 }, parseAllowList([]), broken)).rejects.toThrow(
    'broken',
  );
});

import { isJsonObject } from '#lib/json.ts';
import type { Mutant, Tamper } from '../mutant.ts';

/**
 * Passes selected requests on as a GET of an issued URL, if this URL has the same path. Another query or method
 * therefore has no effect.
 */
function forgives(when: (seen: { method: string; path: string }) => boolean): () => Tamper {
  return () => {
    const good = new Map<string, string>();
    return {
      addresses: true,
      answer: (_seen, { body }) => {
        for (const address of addressesIn(body)) good.set(address.pathname, address.search);
        return undefined;
      },
      request: ({ method, url }) => {
        const [path = ''] = url.split('?');
        const search = good.get(path);
        return search !== undefined && when({ method, path })
          ? { method: 'GET', url: path + search, body: '' }
          : undefined;
      },
    };
  };
}

function addressesIn(body: unknown): URL[] {
  if (!isJsonObject(body)) return [];
  const texts = [body['downloadUrl'], body['screenshotUrl']].filter((value) => typeof value === 'string');
  return texts.filter((text) => URL.canParse(text)).map((text) => new URL(text));
}

/** Servers that accept signed URLs which they must refuse. */
export const addressMutants: readonly Mutant[] = [
  {
    id: 'address-query-forgiven',
    breaks: 'The URL of a log, an output file or a screenshot works with any query: its signature is not checked.',
    server: 'reference',
    only: ['addresses'],
    target: 'ADDRESS-01',
    tamper: forgives(({ method }) => method === 'GET'),
  },
  {
    id: 'address-screenshot-forgiven',
    breaks: 'Only the URL of a V3 screenshot works with any query: its signature is not checked.',
    server: 'reference',
    only: ['addresses'],
    target: 'ADDRESS-01',
    tamper: forgives(({ method, path }) => method === 'GET' && path.includes('screenshot')),
  },
  {
    id: 'address-takes-bytes',
    breaks: 'A download URL answers PUT with a success.',
    server: 'reference',
    only: ['addresses'],
    target: 'ADDRESS-02',
    tamper: forgives(({ method }) => method === 'PUT'),
  },
  {
    id: 'address-lives-on',
    breaks: 'A download URL of a V4 workspace works after its expiry.',
    server: 'reference',
    only: ['addresses'],
    target: 'ADDRESS-03',
    tamper: () => {
      const opened = new Set<string>();
      return {
        addresses: true,
        answer: ({ method, url }, { status }) => {
          if (method !== 'GET' || url.startsWith('/api/')) return undefined;
          if (status === 200) opened.add(url);
          return status >= 400 && opened.has(url) ? { status: 200, body: 'tick' } : undefined;
        },
      };
    },
  },
  {
    id: 'address-ends-early',
    breaks: 'An upload URL expires after one minute.',
    server: 'reference',
    only: ['addresses'],
    target: 'ADDRESS-03',
    tamper: (world) => {
      const begun = world.now();
      return {
        addresses: true,
        answer: ({ method, url }) =>
          method === 'PUT' && !url.startsWith('/api/') && world.now() - begun > 60_000
            ? { status: 403, body: 'Too late' }
            : undefined,
      };
    },
  },
];

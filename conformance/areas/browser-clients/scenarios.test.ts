import { describe, expect, it } from 'vitest';
import { createRandom } from '../../core/random.ts';
import { unknownAddress } from './scenarios.ts';

describe('unknownAddress', () => {
  it.each([
    'ws://127.0.0.1:9/devtools/browser/0f8fad5b-d9cb-469f-a165-70867728950e',
    'wss://h.example/a/b?token=AbCdEfGhIjKlMnOp_1234&v=1',
    'https://h.example/cdp/zyxwvutsrqponmlk',
  ])('returns an unissued URL of the same form as %s', (address) => {
    const other = unknownAddress(address, createRandom(1)) ?? '';
    expect(other).toHaveLength(address.length);
    expect(other.replaceAll(/\w{16,}|\w{4,}-[\w-]+$/g, '')).toBe(address.replaceAll(/\w{16,}|\w{4,}-[\w-]+$/g, ''));
    expect(other).not.toBe(address);
    expect(unknownAddress(address, createRandom(1))).toBe(other);
  });

  it.each(['nowhere', 'https://b1.example', 'ws://h.example/devtools/browser/short'])(
    'returns undefined for %s, which has no token',
    (address) => {
      expect(unknownAddress(address, createRandom(1))).toBeUndefined();
    },
  );
});

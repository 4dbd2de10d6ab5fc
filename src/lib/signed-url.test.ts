import { createHmac, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createUrlSigner } from './signed-url.ts';

const secret = randomBytes(32);
const signer = createUrlSigner(secret);

it('signs path, end and nonce with HMAC-SHA256', () => {
  const query = new URLSearchParams(signer.sign('/screenshots/ä', 1_000));
  const signed = createHmac('sha256', secret)
    .update(`/screenshots/ä\n1000\n${query.get('nonce')}`)
    .digest('base64url');
  expect(query.get('signature')).toBe(signed);
  expect(query.get('expires')).toBe('1000');
});

it.each([16, 32, 64, 65, 200])('signs with a secret of %i bytes, and texts of every length', (bytes) => {
  const key = randomBytes(bytes);
  const own = createUrlSigner(key);
  for (const length of [0, 1, 900, 990, 1_000, 1_024, 5_000, 0]) {
    const path = `/${'ä'.repeat(length)}`;
    const query = new URLSearchParams(own.sign(path, 7));
    const signed = createHmac('sha256', key)
      .update(`${path}\n7\n${query.get('nonce')}`)
      .digest('base64url');
    expect(query.get('signature')).toBe(signed);
  }
});

it('signs the same path differently on every call', () => {
  const signed = Array.from({ length: 600 }, () => signer.sign('/a', 1));
  expect(new Set(signed).size).toBe(600);
});

it('opens the signed path until it expires, and nothing else', () => {
  const query = new URLSearchParams(signer.sign('/a', 1_000));
  expect(signer.opens('/a', query, 1_000)).toBe(true);
  expect(signer.opens('/a', query, 1_001)).toBe(false);
  expect(signer.opens('/b', query, 1_000)).toBe(false);
  expect(createUrlSigner(randomBytes(32)).opens('/a', query, 1_000)).toBe(false);
  for (const name of ['expires', 'nonce', 'signature']) {
    const changed = new URLSearchParams(query);
    changed.set(name, `${changed.get(name)}0`);
    expect(signer.opens('/a', changed, 1_000)).toBe(false);
    changed.delete(name);
    expect(signer.opens('/a', changed, 1_000)).toBe(false);
  }
});

it('opens nothing with another text of the same signature bytes', () => {
  const query = new URLSearchParams(signer.sign('/a', 1_000));
  const signature = query.get('signature') ?? '';
  const bytes = Buffer.from(signature, 'base64url');
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const others = Array.from(letters, (letter) => `${signature.slice(0, -1)}${letter}`).filter(
    (text) => text !== signature && Buffer.from(text, 'base64url').equals(bytes),
  );
  expect(others).toHaveLength(3);
  for (const text of others) {
    query.set('signature', text);
    expect(signer.opens('/a', query, 1_000)).toBe(false);
  }
});

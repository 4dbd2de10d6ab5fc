import { createHmac, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMac } from './signed-url.ts';

const secrets = [32, 63, 64, 65, 200].map((length) => randomBytes(length));
const texts = [
  '',
  'a',
  '/screenshots/a\n1\nb',
  'ä€😀',
  'x'.repeat(1023),
  'x'.repeat(1024),
  'é'.repeat(600),
  'x'.repeat(5000),
];

it.each(secrets)("equals Node's HMAC for texts of every length", (secret) => {
  const mac = createMac(secret);
  const wanted = texts.map((text) => createHmac('sha256', secret).update(text).digest('base64url'));
  expect(texts.map(mac)).toEqual(wanted);
  expect(texts.toReversed().map(mac)).toEqual(wanted.toReversed());
});

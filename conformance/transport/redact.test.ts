import { expect, it } from 'vitest';
import { createRedact } from './redact.ts';

const redactFor = (apiKey: string): ((text: string) => string) =>
  createRedact({ apiKey, otherApiKey: undefined, headers: {} });

it('replaces a key wherever it stands, however it is written', () => {
  const redact = redactFor('svc_a key');
  expect(redact('prefix-svc_a key-suffix ?key=svc_a%20key')).toBe(
    'prefix-$SERVICE_API_KEY-suffix ?key=$SERVICE_API_KEY',
  );
});

it('replaces a short key where it is no part of another word', () => {
  const redact = redactFor('k$');
  expect(redact('k$ {"key":"k$"} /api/v2/tak$s ask$')).toBe(
    '$SERVICE_API_KEY {"key":"$SERVICE_API_KEY"} /api/v2/tak$s ask$',
  );
});

import { expect, it } from 'vitest';
import { keyOf } from './exchange.ts';

it.each(['X-Service-API-Key', 'x-service-api-key', 'X-SERVICE-API-KEY'])('the key is found in %s', (name) => {
  const request = { method: 'GET', url: 'https://api.example', headers: { accept: '*/*', [name]: 'svc_key' } };
  expect(keyOf({ request }, 'X-Service-API-Key')).toBe('svc_key');
});

it('a request without the header has no key', () => {
  const request = { method: 'GET', url: 'https://api.example', headers: { authorization: 'Bearer svc_key' } };
  expect(keyOf({ request }, 'X-Service-API-Key')).toBeUndefined();
});

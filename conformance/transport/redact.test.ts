import { expect, it } from 'vitest';
import { createRedact, faultyKeys } from './redact.ts';

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

it('redacts faulty forms of the key, and tells them from the key', () => {
  const redact = redactFor('svc_Abcdef');
  expect(redact('svc_Abcdef svc_Abcde svc_Abcdefx svc_Abcde0 SVC_aBCDEF')).toBe(
    '$SERVICE_API_KEY <$SERVICE_API_KEY without its end> $SERVICE_API_KEYx <$SERVICE_API_KEY with another end> ' +
      '<$SERVICE_API_KEY in the other case>',
  );
});

it('shows the same text when a recording with placeholders is played back', () => {
  const shown = redactFor('svc_Abcdef')('svc_Abcdef svc_Abcde svc_Abcdefx svc_Abcde0 SVC_aBCDEF');
  const { shortened, extended, otherEnd, otherCase } = faultyKeys('$SERVICE_API_KEY');
  const redact = redactFor('$SERVICE_API_KEY');
  expect(redact(`$SERVICE_API_KEY ${shortened} ${extended} ${otherEnd} ${otherCase}`)).toBe(shown);
  expect(redact('$SERVICE_API_KEY')).toBe('$SERVICE_API_KEY');
});

it('hides the values of additional headers, and neither names nor where a request comes from', () => {
  const headers = {
    Cookie: 'session=abc12345; theme=dark-blue',
    Origin: 'https://api.example.com',
    Auth: 'Bearer dG9rZW4=',
  };
  const redact = createRedact({ apiKey: 'svc_Abcdef', otherApiKey: undefined, headers });
  const text = '{"sessions":[{"sessionId":"1","liveUrl":"https://api.example.com/live/1"}]}';
  expect(redact(text)).toBe(text);
  expect(redact('abc12345 dark-blue dG9rZW4=')).toBe('<value of Cookie> <value of Cookie> <value of Auth>');
});

import { describe, expect, it } from 'vitest';
import { createDataFile } from '#lib/testing/create-data-file.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { parseProviders, providersFromEnvironment } from './configuration.ts';

const rules = defaultRules.providers;
const environment = { KEY: 'sk-secret', EMPTY: '', ODD: 'sk secret', BASE: 'https://gate.example/v1' };
const parse = (text: string): ReturnType<typeof parseProviders> =>
  parseProviders({ file: createDataFile(text, 'providers.yaml'), environment, rules });

describe('a file of providers', () => {
  it('names key, address and route; the usual address and the provider itself where it says nothing', () => {
    const table = parse(
      [
        'providers:',
        '  anthropic: { apiKey: "${KEY}" }',
        '  openai: { apiKey: "${KEY}", baseUrl: "${BASE}/", route: cloud }',
        '  xai: { apiKey: plain }',
      ].join('\n'),
    );
    expect([...table]).toEqual([
      ['anthropic', { apiKey: 'sk-secret', baseUrl: 'https://api.anthropic.com', route: 'direct' }],
      ['openai', { apiKey: 'sk-secret', baseUrl: 'https://gate.example/v1', route: 'cloud' }],
      ['xai', { apiKey: 'plain', baseUrl: 'https://api.x.ai/v1', route: 'direct' }],
    ]);
  });

  it.each([
    { given: 'providers: { acme: { apiKey: sk-secret } }', want: 'providers has "acme", expected openai, anthropic' },
    {
      given: 'providers: { openai: { apiKey: "${NOPE}" } }',
      want: 'providers.openai.apiKey names the variable NOPE, which',
    },
    {
      given: 'providers: { openai: { apiKey: "${EMPTY}" } }',
      want: 'names the variable EMPTY, which the environment does not',
    },
    {
      given: 'providers: { openai: { apiKey: "${ODD}" } }',
      want: 'providers.openai.apiKey has a character that no key has',
    },
    { given: 'providers: { openai: {} }', want: "providers.openai must have required property 'apiKey'" },
    {
      given: 'providers: { openai: { apiKey: sk-secret, url: x } }',
      want: 'providers.openai has the unknown member "url"',
    },
    { given: 'providers: { openai: { apiKey: sk-secret, route: sea } }', want: 'route must be one of direct, cloud' },
    {
      given: 'providers: { openai: { apiKey: sk-secret, route: cloud } }',
      want: 'providers.openai.baseUrl is missing',
    },
    { given: 'providers: { openai: { apiKey: sk-secret, baseUrl: ftp://x } }', want: '.baseUrl is no address' },
    { given: 'providers: { openai: { apiKey: x, baseUrl: "http://u:sk-secret@x" } }', want: '.baseUrl is no address' },
    { given: 'apiKey: sk-secret', want: "the file must have required property 'providers'" },
  ])('$given is told as $want, without a key', ({ given, want }) => {
    expect(() => parse(given)).toThrow(want);
    expect(() => parse(given)).toThrow(/^Found in providers\.yaml/);
    expect(() => parse(given)).not.toThrow(/sk.secret/);
  });

  it('tells every problem at once', () => {
    expect(() => parse('providers: { acme: { apiKey: x }, openai: { apiKey: "${NOPE}" } }')).toThrow(/acme.*; .*NOPE/);
  });
});

describe('without a file', () => {
  it('the usual variables name the providers, and empty ones none', () => {
    const table = providersFromEnvironment(rules, { OPENAI_API_KEY: '${KEY}', GEMINI_API_KEY: '', ZAI_API_KEY: 'z' });
    expect([...table]).toEqual([
      ['openai', { apiKey: '${KEY}', baseUrl: 'https://api.openai.com/v1', route: 'direct' }],
      ['zai', { apiKey: 'z', baseUrl: 'https://api.z.ai/api/paas/v4', route: 'direct' }],
    ]);
  });

  it('a variable that holds no key is named, and its value is not', () => {
    const read = (): unknown => providersFromEnvironment(rules, { OPENAI_API_KEY: 'sk secret\n' });
    expect(read).toThrow('found no key in OPENAI_API_KEY');
    expect(read).not.toThrow('sk secret');
  });
});

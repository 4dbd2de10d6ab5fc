import type { ProviderAccess } from './access.ts';
import type { GivenProvider } from './providers-schema.ts';
import { withoutEnd } from '#lib/trim-end.ts';

/** Variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How a provider is reached, or what is wrong with its members, each with the member at its start. */
type ProviderReading = { readonly access: ProviderAccess } | { readonly problems: readonly string[] };

/** Reads one provider, whose shape has been checked; without an address it is reached at `usualUrl`. */
export function readProvider(given: GivenProvider, usualUrl: string, environment: Environment): ProviderReading {
  const { route = 'direct' } = given;
  const problems: string[] = [];
  const filled = (member: 'apiKey' | 'baseUrl', text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (_whole, name: string) => {
      const value = environment[name];
      if (value === undefined || value === '')
        problems.push(`.${member} names the variable ${name}, which the environment does not have`);
      return value ?? '';
    });
  const apiKey = filled('apiKey', given.apiKey);
  const baseUrl = withoutEnd(filled('baseUrl', given.baseUrl ?? usualUrl), /\//);
  // A header cannot carry anything else, and the error of its refusal would show the key.
  if (problems.length === 0 && !/^[\x21-\x7e]+$/.test(apiKey))
    problems.push('.apiKey has a character that no key has: expected printable ASCII without spaces');
  if (problems.length === 0 && !isAddress(baseUrl))
    problems.push(
      '.baseUrl is no address, expected http:// or https:// with a host, and no credentials, query or fragment',
    );
  if (route === 'cloud' && given.baseUrl === undefined)
    problems.push('.baseUrl is missing: a cloud platform has an address of its own');
  return problems.length > 0 ? { problems } : { access: { apiKey, baseUrl, route } };
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return [url.username, url.password, url.search, url.hash].every((part) => part === '');
}

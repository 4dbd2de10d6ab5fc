import { isAllowedAddress } from '#contract/allowed-domains.ts';
import { TabError } from '#browsers/tab/tab.ts';
import { PLACEHOLDER, withValues } from './placeholder.ts';
import type { Secret } from './secret.ts';
import type { TabGuard } from './tab-guard.ts';

/** A text with the values in place of its placeholders, and where they may go. */
export interface Filled {
  readonly text: string;
  readonly isPlace: (address: string) => boolean;
}

/** Null for a text without placeholders; throws a {@link TabError} for the name of no secret. */
export function filled(wanted: string, secrets: readonly Secret[]): Filled | null {
  const named = Array.from(wanted.matchAll(PLACEHOLDER), ({ groups }) => secretOf(groups?.['name'] ?? '', secrets));
  if (named.length === 0) return null;
  const places = named.flatMap(({ domains }) => (domains === null ? [] : [domains]));
  return {
    text: withValues(wanted, named),
    isPlace: (address) => places.every((domains) => isOn(domains, address)),
  };
}

/** Types a text with the values in place of their placeholders; each value only on a page of its domains. */
export async function typeWith(
  { secrets, onTyped }: TabGuard,
  wanted: string,
  type: (text: string, isPlace?: (address: string) => boolean) => Promise<void>,
): Promise<void> {
  const values = filled(wanted, secrets);
  if (values === null) return type(wanted);
  onTyped();
  return type(values.text, values.isPlace);
}

function secretOf(name: string, secrets: readonly Secret[]): Secret {
  const found = secrets.find((secret) => secret.name === name);
  if (found !== undefined) return found;
  const names = secrets.map((secret) => `"${secret.name}"`).join(', ');
  throw new TabError(
    `There is no secret "${name}" for this task. There ${names === '' ? 'is none' : `are: ${names}`}.`,
  );
}

/** A page without a host comes from no domain: a secret that is bound to some is not typed there. */
function isOn(domains: readonly string[], address: string): boolean {
  return URL.parse(address)?.hostname !== '' && isAllowedAddress(domains, address);
}

import type { JSX } from 'preact';
import { ApiKeys } from '../keys/api-keys.tsx';
import { ProviderKeys } from './provider-keys.tsx';

/** Keys to this service, and keys of the project to model providers. */
export function KeysPage(): JSX.Element {
  return (
    <>
      <h1>Keys</h1>
      <ApiKeys />
      <ProviderKeys />
    </>
  );
}

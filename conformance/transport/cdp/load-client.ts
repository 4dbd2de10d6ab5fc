import { optionalPackages } from '#generated/rules.ts';
import { NotTestable } from '../../core/outcome.ts';

/** A package that brings an automation client. */
export type ClientPackage = 'playwright-core' | 'puppeteer-core';

/** Loads an automation client. Throws NotTestable with the command that adds it where its package is not installed. */
export async function loadClient<Loaded>(name: ClientPackage, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && error.message.startsWith(`Cannot find package '${name}'`);
    throw isMissing ? new NotTestable(`${name} is not installed: npm install ${installed()}`) : error;
  }
}

function installed(): string {
  const row = optionalPackages.features.find(({ feature }) => feature === 'clients');
  return (row?.packages ?? []).map(({ name, range }) => `${name}@${range}`).join(' ');
}

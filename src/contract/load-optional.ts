import { optionalPackages } from '#generated/rules.ts';

type Feature = (typeof optionalPackages.features)[number];

/** A feature that needs optional packages. */
export type OptionalFeature = Feature['feature'];

/**
 * Thrown when a feature is used without its optional packages. The message names the missing packages and the command
 * that installs them.
 */
export class MissingPackage extends Error {
  override readonly name = 'MissingPackage';

  constructor(feature: OptionalFeature, cause: unknown) {
    const row = findFeature(feature);
    const names = row.packages.map(({ name }) => name).join(' and ');
    const words = row.packages.map(({ name, range }) => `${name}@${range}`).join(' ');
    super(`found no ${names} installed, needed by ${row.needs}: npm install ${words}`, { cause });
  }
}

/**
 * Loads modules that need the packages of a feature. Rejects with MissingPackage when one of these packages is not
 * installed.
 */
export async function loadOptional<Loaded>(feature: OptionalFeature, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    throw isMissing(feature, error) ? new MissingPackage(feature, error) : error;
  }
}

/**
 * Returns whether an import failed because a package of the feature is missing. A missing dependency of an installed
 * package does not count.
 */
function isMissing(feature: OptionalFeature, error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const [, name] = /^Cannot find (?:package|module) '([^']+)'/.exec(error.message) ?? [];
  return findFeature(feature).packages.some((one) => name === one.name || name?.startsWith(`${one.name}/`) === true);
}

function findFeature(feature: OptionalFeature): Feature {
  const row = optionalPackages.features.find((one) => one.feature === feature);
  if (row === undefined) throw new Error(`spec/rules/optional-packages.yaml: found no ${feature}`);
  return row;
}

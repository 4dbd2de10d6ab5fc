import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folder in which Debian's packages install each version. */
const packaged = '/usr/lib/postgresql';

/**
 * Returns the program folder of POSTGRES_BIN or of the newest installed PostgreSQL. If this folder contains no initdb,
 * throws an error that names the package to install.
 */
export function postgresBin(environment = process.env): string {
  const wanted = environment['POSTGRES_BIN'] ?? newest();
  if (wanted !== null && existsSync(join(wanted, 'initdb'))) return wanted;
  const next = 'apt-get install postgresql, or set POSTGRES_BIN';
  throw new Error(`Found no initdb in ${wanted ?? packaged}. Expected the package postgresql. Next: ${next}.`);
}

function newest(): string | null {
  if (!existsSync(packaged)) return null;
  const [version] = readdirSync(packaged).toSorted((a, b) => Number(b) - Number(a));
  return version === undefined ? null : join(packaged, version, 'bin');
}

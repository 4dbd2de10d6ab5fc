import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const secretBytes = 32;

/** The service's signing secret: read from the data folder, made with mode 600 on the first start. Throws for a damaged file. */
export function signingSecret(dataFolder: string): Uint8Array {
  const file = join(dataFolder, 'signing-secret');
  if (!existsSync(file)) makeSecret(dataFolder, file);
  const secret = readFileSync(file);
  if (secret.length === secretBytes) return secret;
  throw new Error(
    `found ${secret.length} bytes in ${file}, expected ${secretBytes}: delete the file to make a new secret, which ends every address signed so far`,
  );
}

/** Complete on the disk before it has its name, so that a crash never leaves an empty secret behind. */
function makeSecret(dataFolder: string, file: string): void {
  mkdirSync(dataFolder, { recursive: true });
  const temporary = `${file}.${process.pid}`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    writeSync(handle, randomBytes(secretBytes));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from './private-files.ts';

const secretBytes = 32;

/** What a service signs its addresses with, and seals what must not lie open. Each has at least 32 bytes. */
export interface ServiceSecrets {
  readonly signing: Uint8Array;
  readonly sealing: Uint8Array;
}

/** The service's signing secret: read from the data folder, made with mode 600 on the first start. Throws for a damaged file. */
export function signingSecret(dataFolder: string): Uint8Array {
  return keptSecret(dataFolder, { name: 'signing-secret', ends: 'every address signed so far' });
}

/** The secret that secrets of waiting and running tasks are sealed with; kept like the signing secret. */
export function sealingSecret(dataFolder: string): Uint8Array {
  return keptSecret(dataFolder, { name: 'sealing-secret', ends: 'every task that waits with secrets' });
}

function keptSecret(dataFolder: string, { name, ends }: { name: string; ends: string }): Uint8Array {
  const file = join(dataFolder, name);
  if (!existsSync(file)) makeSecret(dataFolder, file);
  const secret = readFileSync(file);
  if (secret.length === secretBytes) return secret;
  throw new Error(
    `found ${secret.length} bytes in ${file}, expected ${secretBytes}: delete the file to make a new secret, which ends ${ends}`,
  );
}

/** Complete on the disk before it has its name, so that a crash never leaves an empty secret behind. */
function makeSecret(dataFolder: string, file: string): void {
  makePrivateFolder(dataFolder);
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

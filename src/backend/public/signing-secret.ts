import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const secretBytes = 32;

/** The service's signing secret: read from the data folder, made with mode 600 on the first start. */
export function signingSecret(dataFolder: string): Uint8Array {
  const file = join(dataFolder, 'signing-secret');
  if (existsSync(file)) return readFileSync(file);
  mkdirSync(dataFolder, { recursive: true });
  const secret = randomBytes(secretBytes);
  writeFileSync(file, secret, { mode: 0o600 });
  return secret;
}

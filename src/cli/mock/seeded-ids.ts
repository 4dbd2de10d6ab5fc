import type { Ids } from '#backend/shared/ids.ts';
import { createRandom } from '#mock/random.ts';

const tokenBytes = 24;
const idBytes = 16;

/** Names that a seed decides: the first thing that is made has the same one in every run. Whoever knows the seed can guess them. */
export function seededIds(seed: number): Ids {
  const random = createRandom(seed);
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)));
  return {
    newId: () => uuidOf(bytes(idBytes)),
    newToken: () => bytes(tokenBytes).toString('base64url'),
  };
}

/** Sixteen bytes as a uuid of version 4. */
function uuidOf(bytes: Buffer): string {
  bytes[6] = (Number(bytes[6]) & 0x0f) | 0x40;
  bytes[8] = (Number(bytes[8]) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

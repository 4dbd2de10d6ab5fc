import type { Ids } from '#lib/ids.ts';
import { createRandom } from '#mock/random.ts';

const tokenBytes = 24;
const idBytes = 16;

/** Names that a seed decides: the first thing that is made has the same one in every run. Whoever knows the seed can guess them. */
export function seededIds(seed: number): Ids {
  const random = createRandom(seed);
  const bytes = (count: number): Buffer => {
    const drawn = Buffer.alloc(count);
    for (let index = 0; index < count; index += 1) drawn[index] = Math.floor(random() * 256);
    return drawn;
  };
  return {
    newId: () => uuidOf(bytes(idBytes)),
    newToken: () => bytes(tokenBytes).toString('base64url'),
  };
}

/** Sixteen bytes as a uuid of version 4. */
function uuidOf(bytes: Buffer): string {
  bytes[6] = (Number(bytes[6]) & 0x0f) | 0x40;
  bytes[8] = (Number(bytes[8]) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

import { gzipSync } from 'node:zlib';
import type { JsonObject } from '#lib/json.ts';
import { carriedName, writeCarried } from '../profile/carried-state.ts';
import { cookieDomains } from '../profile/cookie-domains.ts';
import { isSessionCookie } from '../profile/cookie-param.ts';
import type { BrowserProfile } from '../profile/index.ts';
import { packArchive } from '../profile/pack-archive.ts';
import { readArchive } from '../profile/read-archive.ts';
import { packedText } from '../profile/write-archive.ts';

/** The cookies that a profile was kept with: all that a simulated browser has. Those in user data of a real one are not read. */
export async function loadCookies(profile: BrowserProfile): Promise<readonly JsonObject[]> {
  const archive = await profile.load();
  return archive === null ? [] : (await readArchive(archive, null)).cookies;
}

/** Keeps the cookies of a simulated browser; after a crash only those that a disk would hold. */
export async function keepCookies(
  profile: BrowserProfile,
  cookies: readonly JsonObject[],
  crashed: boolean,
): Promise<void> {
  const kept = crashed ? cookies.filter((cookie) => !isSessionCookie(cookie)) : cookies;
  const pieces: Uint8Array[] = [];
  const carried = writeCarried({ cookies: kept, permissions: [] });
  for await (const piece of packArchive([packedText(carriedName, carried)])) pieces.push(piece);
  const bytes = gzipSync(Buffer.concat(pieces));
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  await profile.keep({ bytes: whole(), size: bytes.length, cookieDomains: crashed ? null : cookieDomains(kept) });
}

import { readFile, rename, writeFile } from 'node:fs/promises';
import { type JsonValue, isJsonObject } from '#lib/json.ts';
import { isMissing } from '../launch/is-missing.ts';
import { type CarriedState, carriedFrom } from './carried-state.ts';

/** Whose user data lie in a browser's folder. */
export interface ProfileMark {
  readonly profileId: string;
  /** What the browser was given beside them: its disk does not hold it. */
  readonly carried: CarriedState;
}

/** Writes the mark when the user data are complete and before the browser is started; it appears whole or not at all. */
export async function writeProfileMark(file: string, mark: ProfileMark): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(mark), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** The mark of a browser's folder; null for a browser without a profile, and where the mark is not one of ours. */
export async function readProfileMark(file: string): Promise<ProfileMark | null> {
  let value: JsonValue;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    // A power failure can cut a text off: nobody knows whose user data these were.
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
  const profileId = isJsonObject(value) ? value['profileId'] : undefined;
  const carried = isJsonObject(value) ? carriedFrom(value['carried']) : null;
  return typeof profileId === 'string' && carried !== null ? { profileId, carried } : null;
}

import { createHash } from 'node:crypto';
import type { Target } from './target.ts';
import { type SpendLevel, spendLevels } from './spend.ts';
import { SuiteError } from './suite-error.ts';
import { type JsonValue, isJsonObject, parseJson } from './json.ts';

/** Contents of a replay token: identifies one case to judge again. */
export interface ReplayToken {
  /** Id of the requirement or law. */
  id: string;
  seed: number;
  /** fast-check path of a shrunk counterexample. */
  path?: string;
  /** Key of one matrix cell. */
  cell?: string;
  /**
   * URL of the target of the original run. Because the token contains it and `spend`, a replay needs no other options.
   */
  url?: string;
  spend?: SpendLevel;
  /** Digest of the target file, because another file may lead to another verdict. */
  target?: string;
}

/**
 * Returns a short digest of all members of a target except its URL, by which a replay detects a changed target file.
 */
export function targetDigest({ url: _url, ...said }: Target): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 12);
}

const prefix = 'svc1.';

/** Encodes the token as one shell word. */
export function writeReplayToken(token: ReplayToken): string {
  return prefix + Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Maximum number of characters of a token that a message shows. */
const shownMax = 40;

/**
 * Decodes a token, which may contain line breaks from copying. Throws SuiteError `usage` for a truncated token or any
 * other text.
 */
export function readReplayToken(given: string): ReplayToken {
  const text = given.replaceAll(/\s/g, '');
  const json = text.startsWith(prefix) ? Buffer.from(text.slice(prefix.length), 'base64url').toString() : '';
  const value = parseJson(json);
  const token = isJsonObject(value) ? fromJson(value) : undefined;
  if (token !== undefined) return token;
  const shown = text.length > shownMax ? `${text.slice(0, shownMax)}...` : text;
  const isCut = value === undefined && (json.startsWith('{') || (text !== '' && prefix.startsWith(text)));
  throw new SuiteError('usage', {
    found: isCut
      ? `a replay token that was cut after ${text.length} characters ("${shown}")`
      : `the replay token "${shown}"`,
    expected: `a token that begins with ${prefix}, as a report prints it`,
    next: 'copy the whole word from the report; a terminal may show it in several lines',
  });
}

function fromJson(value: Record<string, JsonValue>): ReplayToken | undefined {
  const { id, seed, path, cell, url, target } = value;
  const spend = spendLevels.find((level) => level === value['spend']);
  if (typeof id !== 'string' || typeof seed !== 'number') return undefined;
  return {
    id,
    seed,
    ...(typeof path === 'string' ? { path } : {}),
    ...(typeof cell === 'string' ? { cell } : {}),
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof target === 'string' ? { target } : {}),
    ...(spend === undefined ? {} : { spend }),
  };
}

import { createHash } from 'node:crypto';
import type { Target } from './target/target.ts';
import { type SpendLevel, spendLevels } from './spend.ts';
import { SuiteError } from './suite-error.ts';
import { type JsonValue, isJsonObject, parseJson } from './json.ts';

/** What is needed to judge one case again. */
export interface ReplayToken {
  /** Requirement or law id. */
  id: string;
  seed: number;
  /** fast-check path of a shrunk counterexample. */
  path?: string;
  /** Key of one matrix cell. */
  cell?: string;
  /** Target and spend level of the run that found it, so that the token is all that a replay needs. */
  url?: string;
  spend?: SpendLevel;
  /** What the target file said, as a digest: another file may judge otherwise. */
  target?: string;
}

/** A digest of all that a target file says; the address is none of it. */
export function targetDigest({ url: _url, ...said }: Target): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 12);
}

const prefix = 'svc1.';

/** The token as one word for the shell. */
export function writeReplayToken(token: ReplayToken): string {
  return prefix + Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** Reads a token; throws SuiteError `usage` for anything else. */
export function readReplayToken(text: string): ReplayToken {
  const value = text.startsWith(prefix)
    ? parseJson(Buffer.from(text.slice(prefix.length), 'base64url').toString())
    : undefined;
  const token = isJsonObject(value) ? fromJson(value) : undefined;
  if (token !== undefined) return token;
  throw new SuiteError('usage', {
    found: `the replay token "${text}"`,
    expected: `a token that begins with ${prefix}, as a report prints it`,
    next: 'copy the whole word from the report',
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

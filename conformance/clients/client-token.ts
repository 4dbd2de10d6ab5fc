import { isJsonObject, parseJson } from '../core/json.ts';

/** Trial and seed of a replay. */
export interface ClientToken {
  readonly trial: string;
  readonly seed: number;
}

const prefix = 'svc-client1.';

/** Encodes a token as one word for a shell. */
export function writeClientToken({ trial, seed }: ClientToken): string {
  return prefix + Buffer.from(JSON.stringify({ trial, seed })).toString('base64url');
}

/** Decodes a token, also with line breaks inside; undefined for any other word. */
export function readClientToken(given: string): ClientToken | undefined {
  const text = given.replaceAll(/\s/g, '');
  if (!text.startsWith(prefix)) return undefined;
  const value = parseJson(Buffer.from(text.slice(prefix.length), 'base64url').toString());
  if (!isJsonObject(value) || typeof value['trial'] !== 'string' || typeof value['seed'] !== 'number') return undefined;
  return { trial: value['trial'], seed: value['seed'] };
}

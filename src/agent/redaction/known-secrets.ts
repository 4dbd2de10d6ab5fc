import { type Redactor, createRedactor } from './redactor.ts';
import type { Secret } from './secret.ts';

/** Names and values of the secrets of one browser, in bytes. Bounds the time and memory that its redactor takes. */
export const KNOWN_BYTES_MAX = 131_072;

/** The secrets that were or could be typed into one browser. In memory only. */
export interface KnownSecrets {
  readonly size: number;
  /** Adds secrets, each name with each value once. Throws when together they have more than `KNOWN_BYTES_MAX` bytes. */
  add(secrets: readonly Secret[]): void;
  /** Returns the redactor of all of them; it is made again only after secrets were added. */
  redactor(): Redactor;
}

/** Creates an empty set of secrets. */
export function createKnownSecrets(): KnownSecrets {
  const known = new Map<string, Secret>();
  let bytes = 0;
  let redactor = createRedactor([]);
  return {
    get size() {
      return known.size;
    },
    add(secrets) {
      const added = new Map(secrets.map((secret) => [JSON.stringify([secret.name, secret.value]), secret]));
      for (const key of known.keys()) added.delete(key);
      if (added.size === 0) return;
      let wanted = bytes;
      for (const { name, value } of added.values()) wanted += Buffer.byteLength(name) + Buffer.byteLength(value);
      if (wanted > KNOWN_BYTES_MAX)
        throw new Error(
          `The tasks of this session gave secrets of ${wanted} bytes, and its browser can hide ${KNOWN_BYTES_MAX}: create the task in a new session.`,
        );
      for (const [key, secret] of added) known.set(key, secret);
      bytes = wanted;
      redactor = createRedactor([...known.values()]);
    },
    redactor: () => redactor,
  };
}

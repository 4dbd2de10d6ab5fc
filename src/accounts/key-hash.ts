import * as crypto from 'node:crypto';
import { service } from '#generated/rules.ts';

/** Every key starts with this (contract section 5; the value is the companion's). */
export const keyPrefix = service.keyPrefix.value;

const shownCharacters = 8;
const keyIdCharacters = 16;

/** What is kept of a key: its SHA-256 in hexadecimal. A key has 256 random bits, so that nothing slower is needed. */
export function hashOf(key: string): string {
  return crypto.hash('sha256', key, 'hex');
}

/** Names a key without revealing it: the first 16 hexadecimal digits of its hash. */
export function keyIdOf(hash: string): string {
  return hash.slice(0, keyIdCharacters);
}

/** Whether a text has the form of such a name. */
export function isKeyId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** The beginning of a key, by which its holder knows it again: the prefix of all keys and four characters. */
export function shownPrefixOf(key: string): string {
  return key.slice(0, shownCharacters);
}

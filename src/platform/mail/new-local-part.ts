import { randomBytes } from 'node:crypto';

/** Letters and digits that nobody mistakes for each other; 32 of them, so that five bits choose one. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 20;

/** The part of an address before the @: 100 random bits in 20 small letters and digits. */
export function newLocalPart(): string {
  let part = '';
  for (const byte of randomBytes(LENGTH)) part += ALPHABET.charAt(byte % ALPHABET.length);
  return part;
}

import { randomUUID } from 'node:crypto';

const keyPattern = /^[0-9a-f-]{36}\.[a-z0-9]{1,5}$/;

/** A new key for bytes; nothing of a request is part of it, so that it is safe as a file name. */
export function newBlobKey(extension: string): string {
  return `${randomUUID()}.${extension}`;
}

/** Whether a text has the shape of a key of ours. */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text);
}

import { randomBytes } from 'node:crypto';

/** A value that nobody has seen before: where it is found it can only have come from us. */
export function secretValue(purpose: string): string {
  return `svc-check-${purpose}-${randomBytes(16).toString('hex')}`;
}

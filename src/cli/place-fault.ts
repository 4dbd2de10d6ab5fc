/** Codes of the operating system that speak of a file or folder somebody has named, and not of a bug. */
const codes = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENAMETOOLONG',
  'ELOOP',
]);

/** A sentence about a file or folder that cannot be used, with the next step; null for any other error. */
export function placeFault(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return null;
  const { code, path } = error;
  if (typeof code !== 'string' || typeof path !== 'string' || !codes.has(code)) return null;
  const [reason] = error.message.split(', ');
  return `found ${path}, which cannot be used (${reason}), expected a place with room that this account may write to: name another one, or let the account in`;
}

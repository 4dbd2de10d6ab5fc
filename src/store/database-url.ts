/** Returns whether a database address is a PostgreSQL URL; otherwise it is a file. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

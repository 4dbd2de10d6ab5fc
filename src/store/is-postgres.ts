/** Whether the address of a database is one of PostgreSQL; else it is a file. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

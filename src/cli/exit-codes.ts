/** What the process answers with; a public interface (design section 7, documented in docs/reference/exit-codes.md). */
export const exitCodes = {
  /** No violation found. */
  ok: 0,
  /** At least one violation, or something left alive; of `svc spec diff` a change that breaks clients; of `svc diff` a row that got worse; of `svc coverage` an operation left out. */
  violation: 1,
  /** Wrong usage or configuration, or a file that cannot be written. */
  usage: 2,
  /** The target cannot be reached, is no service, or refuses the key. */
  unreachable: 3,
  /** Interrupted, or a limit of time or money ended the run early. */
  interrupted: 4,
  /** A fault of the suite itself. */
  internal: 5,
} as const;

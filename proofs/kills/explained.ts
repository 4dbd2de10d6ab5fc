/** Maximum number of kept log lines: a failing service repeats the same lines. */
const kept = 1_000;

/** Log lines of all processes of a fleet, up to a limit. */
export interface KeptLog {
  readonly lines: readonly string[];
  readonly add: (line: string) => void;
}

/** Creates an empty log. */
export function keepLog(): KeptLog {
  const lines: string[] = [];
  return {
    lines,
    add(line) {
      if (lines.length < kept) lines.push(line);
    },
  };
}

const quoted = /quote request ([\w-]+)/;

/**
 * Appends to a fault the first log line with the request id that the fault quotes. Returns the fault unchanged if no
 * line has this id.
 */
export function explained(fault: string, log: readonly string[]): string {
  const id = quoted.exec(fault)?.[1];
  const said = id === undefined ? undefined : log.find((line) => line.includes(id));
  return said === undefined ? fault : `${fault} (log: ${said})`;
}

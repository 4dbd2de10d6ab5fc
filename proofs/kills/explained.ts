/** Lines of logs that are kept: a service that fails says the same again and again. */
const kept = 1_000;

/** The first lines that the processes of a fleet wrote into their logs. */
export interface KeptLog {
  readonly lines: readonly string[];
  readonly add: (line: string) => void;
}

/** A log without lines. */
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

/** A fault, with what the log says of the request that it quotes. */
export function explained(fault: string, log: readonly string[]): string {
  const id = quoted.exec(fault)?.[1];
  const said = id === undefined ? undefined : log.find((line) => line.includes(id));
  return said === undefined ? fault : `${fault} (log: ${said})`;
}

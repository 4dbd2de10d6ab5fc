import type { FuzzedRequest } from './fuzzed-request.ts';

/** A kind of fault. */
export interface FaultKind {
  /** First message of this kind. */
  readonly text: string;
  times: number;
  /** Smallest known request that shows the fault; null when no single request does. */
  request: FuzzedRequest | null;
}

/**
 * Faults that the fuzzer found, by kind. Messages are of one kind if their first 160 characters differ only in ids,
 * times and long numbers.
 */
export interface FuzzFaults {
  readonly kinds: ReadonlyMap<string, FaultKind>;
  /** Number of log lines that `log` has recorded. */
  readonly logLines: number;
  /** Records a fault; returns true for the first fault of its kind. */
  add(request: FuzzedRequest | null, text: string): boolean;
  /** Records a line of the service's error log as a fault. */
  log(line: string): void;
  /**
   * Replaces the request of a kind by a smaller request, and prints the command that sends the smaller request again.
   */
  replace(text: string, request: FuzzedRequest): void;
}

/** Creates an empty collection of faults. A printed fault contains `seed`. */
export function createFaults(seed: number): FuzzFaults {
  const kinds = new Map<string, FaultKind>();
  let logLines = 0;
  const add: FuzzFaults['add'] = (request, text) => {
    const known = kinds.get(getKind(text));
    if (known !== undefined) {
      known.times += 1;
      return false;
    }
    kinds.set(getKind(text), { text, times: 1, request });
    console.error(`FAULT (seed ${seed}): ${text}`);
    return true;
  };
  return {
    kinds,
    get logLines() {
      return logLines;
    },
    add,
    log(line) {
      logLines += 1;
      add(null, `the log has an error: ${line.slice(0, shownLength)}`);
    },
    replace(text, request) {
      const kind = kinds.get(getKind(text));
      if (kind !== undefined) kind.request = request;
      console.error(`  npm run long -- fuzz --replay ${shellQuoted(JSON.stringify(request))}`);
    },
  };
}

const shownLength = 1500;

function getKind(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/\d{4,}/g, '<n>')
    .replace(/"time":"[^"]*"/, '')
    .slice(0, 160);
}

/** Quotes a text for a shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

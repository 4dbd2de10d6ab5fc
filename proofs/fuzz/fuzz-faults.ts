import type { FuzzedRequest } from './fuzzed-request.ts';

/** One kind of fault. */
export interface FaultKind {
  /** The first sentence that was said of it. */
  readonly text: string;
  times: number;
  /** The smallest request found that shows it; null where none does by itself. */
  request: FuzzedRequest | null;
}

/** Faults that were found, by kind: the same sentence but for ids and numbers is the same kind. */
export interface FuzzFaults {
  readonly kinds: ReadonlyMap<string, FaultKind>;
  /** Lines of the log that were read. */
  readonly logLines: number;
  /** Notes a fault; true when it is the first of its kind. */
  add(request: FuzzedRequest | null, text: string): boolean;
  /** Notes a line of the service's log. */
  log(line: string): void;
  /** Puts a smaller request in the place of the one that a kind was found with. */
  replace(text: string, request: FuzzedRequest): void;
}

/** No faults yet; `seed` is named where they are printed. */
export function createFaults(seed: number): FuzzFaults {
  const kinds = new Map<string, FaultKind>();
  let logLines = 0;
  const add: FuzzFaults['add'] = (request, text) => {
    const known = kinds.get(kindOf(text));
    if (known !== undefined) {
      known.times += 1;
      return false;
    }
    kinds.set(kindOf(text), { text, times: 1, request });
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
      const kind = kinds.get(kindOf(text));
      if (kind !== undefined) kind.request = request;
      console.error(`  npm run long -- fuzz --replay ${shellQuoted(JSON.stringify(request))}`);
    },
  };
}

const shownLength = 1500;

function kindOf(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/\d{4,}/g, '<n>')
    .replace(/"time":"[^"]*"/, '')
    .slice(0, 160);
}

/** The text as one word of a shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/*
 * Who came through the gateway and asked for what: method, session and outcome of every message, never its values.
 * Written to by the gateway, one line per message; opened and closed by whoever composes the service (`svc serve --audit`).
 * It never holds up a client: what the disk does not take in time is lost and counted.
 */

import { type FileHandle, open, rename } from 'node:fs/promises';
import type { JsonObject } from '#lib/json.ts';

/** What became of one message of a client; `answered` is Browser.close, which is answered and detaches the client. */
export type Outcome = 'passed' | 'rewritten' | 'refused' | 'answered' | 'malformed';

/** What of a client's command is noted: what was asked for, never with which values. */
export interface AuditedCommand {
  /** Text of the client, which may be anything. */
  readonly method: string;
  /** The session that it is for, as the client names it. Absent on the root session. */
  readonly sessionId?: string;
}

/** The notes on one client. */
export interface ClientAudit {
  /** A message came; `command` is absent when it was none. */
  message(outcome: Outcome, command?: AuditedCommand): void;
  /** The connection is over, with that code of RFC 6455. Called once. */
  left(code: number): void;
}

/** The notes on all clients of a gateway. */
export interface Audit {
  /** A client joined the browser of that id, from that network address. */
  joined(client: { readonly browser: string; readonly from: string }): ClientAudit;
}

/** For a gateway on which nobody keeps notes. */
export const noAudit: Audit = { joined: () => ({ message: () => undefined, left: () => undefined }) };

/** What an audit is made of. */
export interface AuditParts {
  /** Takes one line. */
  readonly write: (line: JsonObject) => void;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Makes a name for a client. */
  readonly newId: () => string;
}

/** Notes every message of every client, one line each, and who came and left. */
export function createAudit({ write, now, newId }: AuditParts): Audit {
  return {
    joined({ browser, from }) {
      const client = newId();
      const counts: Record<Outcome, number> = { passed: 0, rewritten: 0, refused: 0, answered: 0, malformed: 0 };
      const note = (event: string, rest: JsonObject): void =>
        write({ at: new Date(now()).toISOString(), event, browser, client, ...rest });
      note('joined', { from });
      return {
        message(outcome, command) {
          counts[outcome] += 1;
          note('message', { ...(command === undefined ? {} : shown(command)), outcome });
        },
        left: (code) => note('left', { code, ...counts }),
      };
    },
  };
}

function shown({ method, sessionId }: AuditedCommand): JsonObject {
  return { method: shownMethod(method), ...(sessionId === undefined ? {} : { session: shownSession(sessionId) }) };
}

/** What a client sends in the place of a name may be a value that nobody else may see. */
const NOT_SHOWN = '(not shown)';

const METHOD = /^[A-Za-z]{1,40}\.[A-Za-z]{1,60}$/;

/** Session ids are Chromium's own. */
const SESSION = /^[0-9A-F]{32}$/;

/** A method that has the form of one, else a mark. */
function shownMethod(method: string): string {
  return METHOD.test(method) ? method : NOT_SHOWN;
}

/** A session id that has the form of one, else a mark. */
function shownSession(session: string): string {
  return SESSION.test(session) ? session : NOT_SHOWN;
}

/** Where an audit is kept, and how much of it. */
export interface AuditFileOptions {
  /** Created when missing, for its owner alone; what is there is kept. */
  readonly path: string;
  /** Bytes after which it becomes `<path>.1`, in place of an earlier one, and a new one is begun. */
  readonly bytesMax: number;
  /** Bytes that may wait for the disk; lines beyond that are lost, and counted in the next line. */
  readonly backlogBytesMax: number;
  /** Told once for each time that the disk takes no more. */
  readonly onError: (error: unknown) => void;
}

/** A file of JSON lines that never holds up who writes. */
export interface AuditFile {
  write(line: JsonObject): void;
  /** Settles when everything is written; nothing is taken from then on. */
  close(): Promise<void>;
}

/** Opens it. Rejects with a sentence when it cannot be written. */
export async function openAuditFile(options: AuditFileOptions): Promise<AuditFile> {
  const { path, bytesMax, backlogBytesMax, onError } = options;
  let file = await openFirst(path);
  let size = (await file.stat()).size;
  let waiting: string[] = [];
  let waitingBytes = 0;
  let lost = 0;
  let writing: Promise<void> | null = null;
  let closed = false;

  const roll = async (): Promise<void> => {
    await rename(path, `${path}.1`);
    const next = await openFile(path);
    await file.close();
    [file, size] = [next, 0];
  };
  const take = (): { text: string; lines: number } => {
    const end = lost === 0 ? '' : textOf({ event: 'lost', lines: lost });
    const taken = { text: waiting.join('') + end, lines: waiting.length + lost };
    [waiting, waitingBytes, lost] = [[], 0, 0];
    return taken;
  };
  const flush = async (): Promise<void> => {
    const { text, lines } = take();
    try {
      if (size >= bytesMax) await roll();
      size += (await file.write(text)).bytesWritten;
    } catch (error) {
      lost += lines;
      onError(error);
    }
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) await flush();
    writing = null;
  };
  return {
    write(line) {
      const text = textOf(line);
      if (closed || waitingBytes + text.length > backlogBytesMax) return void (lost += 1);
      waiting.push(text);
      waitingBytes += text.length;
      return void (writing ??= drain());
    },
    async close() {
      closed = true;
      await writing;
      if (lost > 0) await flush();
      await file.close();
    },
  };
}

function textOf(line: JsonObject): string {
  return `${JSON.stringify(line)}\n`;
}

function openFile(path: string): Promise<FileHandle> {
  return open(path, 'a', 0o600);
}

async function openFirst(path: string): Promise<FileHandle> {
  try {
    return await openFile(path);
  } catch (error) {
    throw new Error(`found that ${path} cannot be written (${String(error)})`, { cause: error });
  }
}

import { type FileHandle, open, rename } from 'node:fs/promises';
import type { JsonObject } from '#lib/json.ts';
import { unlessMissing } from '#lib/system-errors.ts';

/** Path and size limits of an audit file. */
export interface AuditFileOptions {
  /** Path of the file. A missing file is created, and only its owner can read or write it. Existing content is kept. */
  readonly path: string;
  /** Size at which the file is renamed to `<path>.1`, replacing an earlier file of this name, and a new file begins. */
  readonly bytesMax: number;
  /** Maximum number of bytes that wait to be written. Further lines are dropped, and a later line has their count. */
  readonly backlogBytesMax: number;
  /** Called for each failed write. The lines of this write count as dropped. */
  readonly onError: (error: unknown) => void;
}

/** A JSON lines file whose writes never block. */
export interface AuditFile {
  write(line: JsonObject): void;
  /** Closes the file when each waiting line is written or dropped. Lines that are added later are dropped. */
  close(): Promise<void>;
}

/** Opens an audit file; rejects with a readable message when it is not writable. */
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
    // Another program may have moved the file, as one that rotates logs does.
    await rename(path, `${path}.1`).catch(unlessMissing(undefined));
    const next = await openFile(path);
    await file.close();
    [file, size] = [next, 0];
  };
  const take = (): { text: string; lines: number } => {
    const end = lost === 0 ? '' : getText({ event: 'lost', lines: lost });
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
      const text = getText(line);
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

function getText(line: JsonObject): string {
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

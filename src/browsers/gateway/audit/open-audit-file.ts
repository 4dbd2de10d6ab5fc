import { type FileHandle, open, rename } from 'node:fs/promises';
import type { JsonObject } from '#lib/json.ts';

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

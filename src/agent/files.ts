/** A file as an agent sees it. */
export interface AgentFile {
  /** Relative to the workspace, such as `reports/2026.txt`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
}

/** A file and its bytes. */
export interface ReadFile extends AgentFile {
  readonly bytes: Uint8Array;
}

/** A text file and what it says. */
export interface TextFile extends AgentFile {
  readonly text: string;
}

/** A file was not there, does not fit or cannot have that name. The message is fit for a step summary. */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** Maximum size of a text that is returned; longer texts would be truncated without notice. */
const TEXT_BYTES_MAX = 1_048_576;

/** What a file says as UTF-8; anything else would be read as something that it does not say. Throws a FileError for that. */
export function asText({ bytes, ...file }: ReadFile): TextFile {
  const { path } = file;
  if (bytes.length > TEXT_BYTES_MAX)
    throw new FileError(`The file ${path} is too large to read: ${bytes.length} bytes of at most ${TEXT_BYTES_MAX}.`);
  try {
    return { ...file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    throw new FileError(`The file ${path} is no text that I can read.`, { cause: error });
  }
}

/**
 * The files of the workspace that a task works in. Every method rejects with a {@link FileError} for what can be wrong with a
 * file or its workspace; anything else is a bug. What pages download meanwhile comes to be among them.
 */
export interface AgentFiles {
  /** All files in the order of their paths. */
  list(): Promise<readonly AgentFile[]>;
  /** The files that were attached to this task, in the order of its request; one whose bytes have not come is refused. */
  attached(): Promise<readonly AgentFile[]>;
  /** Waits for what pages are downloading; answers the files that came of it in this task. Rejects when one could not be kept. */
  downloads(): Promise<readonly AgentFile[]>;
  /** Reads the file of a path; a bare name also finds an attachment, an upload or a download of that name, in this order. */
  read(name: string): Promise<ReadFile>;
  /** Reads a text file, found in the same way. */
  readText(name: string): Promise<TextFile>;
  /** Writes text to a path; a file that is there is replaced. */
  write(path: string, text: string): Promise<AgentFile>;
}

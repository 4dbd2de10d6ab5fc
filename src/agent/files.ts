/** A file of the workspace. */
export interface AgentFile {
  /** Path relative to the workspace, such as `reports/2026.txt`. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  readonly contentType: string;
}

/** A file and its bytes. */
export interface ReadFile extends AgentFile {
  readonly bytes: Uint8Array;
}

/** A text file and its text. */
export interface TextFile extends AgentFile {
  readonly text: string;
}

/**
 * Thrown when a file cannot be read, listed or written, for example because it is missing, is too large or has an
 * invalid name. The message is suitable for a step summary.
 */
export class FileError extends Error {
  override readonly name = 'FileError';
}

/** Maximum size in bytes of a file that is read as text; larger files are rejected. */
const textBytesMax = 1_048_576;

/**
 * Decodes a file as UTF-8. Throws a FileError for a file above {@link textBytesMax} and for bytes that are not UTF-8.
 */
export function asText({ bytes, ...file }: ReadFile): TextFile {
  const { path } = file;
  if (bytes.length > textBytesMax)
    throw new FileError(`The file ${path} is too large to read: ${bytes.length} bytes of at most ${textBytesMax}.`);
  try {
    return { ...file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    throw new FileError(`The file ${path} is no text that I can read.`, { cause: error });
  }
}

/**
 * Files of the task's workspace. Every method rejects with a {@link FileError} for a problem of a file or the
 * workspace; any other error is a bug. Downloads of pages are added to the files.
 */
export interface AgentFiles {
  /** Waits for pending downloads and returns all files, sorted by path. Rejects for more than 1,000 files. */
  list(): Promise<readonly AgentFile[]>;
  /**
   * Returns the files attached to this task in the order of the request; rejects when one of these files was not
   * uploaded, or was removed or replaced.
   */
  attached(): Promise<readonly AgentFile[]>;
  /**
   * Waits for pending downloads and returns the files downloaded in this task. Rejects when a download could not be
   * stored.
   */
  downloads(): Promise<readonly AgentFile[]>;
  /**
   * Reads a file by its path. A bare name also finds an attachment, an upload or a download of that name, in this
   * order.
   */
  read(name: string): Promise<ReadFile>;
  /** Reads a text file by its path or name, like `read`. */
  readText(name: string): Promise<TextFile>;
  /** Writes a text to a path; replaces an existing file. */
  write(path: string, text: string): Promise<AgentFile>;
}

import { type AgentFile, type AgentFiles, FileError, type ReadFile, asText } from '../files.ts';

/** Files in memory for tests of an agent; `stored` has the current files by path. */
export interface FilesInMemory extends AgentFiles {
  readonly stored: Map<string, Uint8Array>;
}

/** Creates a workspace with text files; the files `attachedPaths` are attached to the task. */
export function filesInMemory(
  texts: Readonly<Record<string, string>> = {},
  attachedPaths: readonly string[] = [],
): FilesInMemory {
  const encoder = new TextEncoder();
  const stored = new Map(Object.entries(texts).map(([path, text]) => [path, encoder.encode(text)]));
  const read = (path: string): ReadFile => {
    const bytes = stored.get(path);
    if (bytes === undefined) throw new FileError(`There is no file ${path}.`);
    return { path, size: bytes.length, contentType: 'text/plain', bytes };
  };
  const shown = (path: string): AgentFile => {
    const { size, contentType } = read(path);
    return { path, size, contentType };
  };
  return {
    stored,
    list: async () => [...stored.keys()].toSorted().map(shown),
    attached: async () => attachedPaths.map(shown),
    downloads: async () => [],
    read: async (path) => read(path),
    readText: async (path) => asText(read(path)),
    async write(path, text) {
      stored.set(path, encoder.encode(text));
      return shown(path);
    },
  };
}

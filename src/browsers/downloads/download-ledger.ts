import type { DownloadRules } from './downloads.ts';

/** Counts the downloads of one browser; it does not know the browser. */
export interface DownloadLedger {
  /** Records the start of a download; false when a limit is reached. */
  begin(id: string, name: string): boolean;
  /** Records received and expected bytes (0 for unknown); false when a limit is exceeded. */
  progress(id: string, received: number, expected: number): boolean;
  /** Returns the name of a download in progress; null for an unknown or rejected one. */
  nameOf(id: string): string | null;
  /** Records a completed download and its size; false when it must not be kept. */
  finish(id: string, size: number): boolean;
  /** Releases the bytes of a file that left the browser's folders; the file still counts. */
  release(size: number): void;
  /** Removes a cancelled download. */
  drop(id: string): void;
}

interface UnderWay {
  readonly name: string;
  /** Peak size on disk: an interrupted transfer restarts from less, but its bytes remain. */
  bytes: number;
  refused: boolean;
}

/** Creates an empty ledger. */
export function createDownloadLedger(rules: Omit<DownloadRules, 'keep'>): DownloadLedger {
  const underWay = new Map<string, UnderWay>();
  let files = 0;
  let bytes = 0;
  // A rejected download is being cancelled and must not cause further rejections.
  const goingOn = (): UnderWay[] => [...underWay.values()].filter(({ refused }) => !refused);
  const fits = (entry: UnderWay): boolean => {
    const all = goingOn().reduce((sum, other) => sum + other.bytes, bytes);
    entry.refused ||= entry.bytes > rules.fileBytesMax || all > rules.bytesMax;
    return !entry.refused;
  };
  return {
    begin(id, name) {
      const entry = { name, bytes: 0, refused: files + goingOn().length >= rules.filesMax };
      underWay.set(id, entry);
      return fits(entry);
    },
    progress(id, received, expected) {
      const entry = underWay.get(id);
      if (entry === undefined) return true;
      entry.bytes = Math.max(entry.bytes, received, expected);
      return fits(entry);
    },
    nameOf(id) {
      const entry = underWay.get(id);
      return entry === undefined || entry.refused ? null : entry.name;
    },
    finish(id, size) {
      const entry = underWay.get(id);
      if (entry === undefined) return false;
      entry.bytes = size;
      const isKept = fits(entry);
      underWay.delete(id);
      if (isKept) [files, bytes] = [files + 1, bytes + size];
      return isKept;
    },
    release: (size) => void (bytes -= size),
    drop: (id) => void underWay.delete(id),
  };
}

import type { DownloadRules } from './downloads.ts';

/** Keeps count of the downloads of one browser; knows nothing of the browser itself. */
export interface DownloadLedger {
  /** Notes a download that begins; false when there may not be one more. */
  begin(id: string, name: string): boolean;
  /** Notes what has come and what is to come, 0 for unknown; false when it may not go on. */
  progress(id: string, received: number, expected: number): boolean;
  /** The name of a download under way; null for one that is not known, or that may not go on. */
  nameOf(id: string): string | null;
  /** Notes that a download is complete with that many bytes; false when it is not to be kept. */
  finish(id: string, size: number): boolean;
  /** Forgets the bytes of a file that has left the browser's folders and is not kept for the browser; it counts as a file as before. */
  release(size: number): void;
  /** Forgets a download that was cancelled. */
  drop(id: string): void;
}

interface UnderWay {
  readonly name: string;
  /** The most that it has had on the disk: a transfer that broke off starts again from less, and its bytes stay. */
  bytes: number;
  refused: boolean;
}

/** An empty ledger. */
export function createDownloadLedger(rules: Omit<DownloadRules, 'keep'>): DownloadLedger {
  const underWay = new Map<string, UnderWay>();
  let files = 0;
  let bytes = 0;
  // What was refused is on its way out: it must not take others with it.
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

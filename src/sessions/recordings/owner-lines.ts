import type { Logger } from 'pino';

/** Work in the background, in lines. */
export interface OwnerLines {
  /** Does a piece of work after all that stands in its line, and settles then; what it rejects with is logged. */
  add(to: { readonly ownerId: string; readonly line: string }, work: () => Promise<void>): Promise<void>;
  /** Settles when nothing is left to do, of one owner or of all. */
  settled(ownerId?: string): Promise<void>;
}

/** Lines that are forgotten as soon as they are empty. */
export function createOwnerLines(log: Logger): OwnerLines {
  const lines = new Map<string, { readonly ownerId: string; readonly last: Promise<void> }>();
  return {
    add({ ownerId, line }, work) {
      const before = lines.get(line)?.last ?? Promise.resolve();
      const last = before
        .then(work)
        .catch((error: unknown) => log.error({ owner: ownerId, err: error }, 'a recording was lost'))
        .finally(() => {
          if (lines.get(line)?.last === last) lines.delete(line);
        });
      lines.set(line, { ownerId, last });
      return last;
    },
    async settled(ownerId) {
      for (;;) {
        const all = Array.from(lines.values()).filter((one) => ownerId === undefined || one.ownerId === ownerId);
        if (all.length === 0) return;
        await Promise.all(all.map(({ last }) => last));
      }
    },
  };
}

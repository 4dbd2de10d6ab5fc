import type { BrowserProfile } from '../profile/browser-profile.ts';

/** An in-memory profile for tests. */
export interface MemoryProfile extends BrowserProfile {
  /** Returns the hosts with cookies in the last saved state; null if no state was saved or the hosts are unknown. */
  domains(): readonly string[] | null;
  /** Returns the size of the last saved state in bytes; 0 if no state was saved. */
  size(): number;
}

/** Creates a profile without a saved state. By default its limits are large. */
export function memoryProfile(bounds: Partial<Pick<BrowserProfile, 'bytesMax' | 'filesMax'>> = {}): MemoryProfile {
  let kept: Buffer | null = null;
  let cookieDomains: readonly string[] | null = null;
  async function* read(bytes: Buffer): AsyncGenerator<Uint8Array> {
    // In pieces of an odd size, like a store.
    for (let start = 0; start < bytes.length; start += 1_001) yield bytes.subarray(start, start + 1_001);
  }
  return {
    id: 'in-memory',
    bytesMax: 2 ** 29,
    filesMax: 20_000,
    ...bounds,
    load: async () => (kept === null ? null : read(kept)),
    async keep(state) {
      const pieces: Uint8Array[] = [];
      for await (const piece of state.bytes) pieces.push(piece);
      kept = Buffer.concat(pieces);
      if (kept.length !== state.size) throw new Error(`found ${kept.length} bytes, expected ${state.size}`);
      cookieDomains = state.cookieDomains;
    },
    domains: () => cookieDomains,
    size: () => kept?.length ?? 0,
  };
}

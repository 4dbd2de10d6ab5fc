import type { HostReport } from '#browsers/host.ts';

/** How one part of a service is: a sentence says what is wrong, without paths, addresses or keys. */
export type PartState = 'ok' | (string & {});

/** What `GET /readyz` answers. */
export interface Readiness {
  readonly status: 'ready' | 'not ready' | 'shutting down';
  /** By part; one that is not `ok` makes the service not ready. */
  readonly checks: Readonly<Record<'database' | 'blobs' | 'disk' | 'browsers', PartState>>;
  /** What does not keep the service from working and should be known. */
  readonly warnings: readonly string[];
  /** Room on the disk of the data folder, in bytes, and below how much the service is not ready; null where the system does not tell. */
  readonly disk: { readonly freeBytes: number; readonly leastBytes: number } | null;
  readonly browsers: { readonly kind: string } & Partial<HostReport>;
}

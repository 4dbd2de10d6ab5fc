import type { ExaminationCounts, ExaminationOrder } from '#api/console/index.ts';

/** Messages to the suite's thread. */
export type ToSuite = { readonly kind: 'run'; readonly order: ExaminationOrder } | { readonly kind: 'stop' };

/** What it tells. */
export type FromSuite =
  | { readonly kind: 'counts'; readonly counts: ExaminationCounts }
  | { readonly kind: 'ended'; readonly html: string; readonly violations: number; readonly passed: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** What asks a command to end: Ctrl-C, whoever supervises it, and a terminal that is closed, which may say so more than once. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One of {@link endSignals}. */
export type EndSignal = (typeof endSignals)[number];

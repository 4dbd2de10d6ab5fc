import type { Recording, Report, RunOptions } from '#conformance/index.ts';

/** A run that has ended: what it found, and everything that happened in it. */
export interface Ended {
  readonly report: Report;
  readonly recording: Recording;
}

/** The report of a run and its recording, which a run hands out beside it. */
export async function keepRecording(
  run: (onRecording: NonNullable<RunOptions['onRecording']>) => Promise<Report>,
): Promise<Ended> {
  const kept = Promise.withResolvers<Recording>();
  const report = await run((recording) => kept.resolve(recording));
  return { report, recording: await kept.promise };
}

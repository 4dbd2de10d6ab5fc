import type { Connect } from './driver.ts';
import { type World, script } from './script.ts';

/** Results of a script: one for each step, and one for finding its page again after a reconnection. */
export interface Played {
  readonly steps: readonly { readonly step: string; readonly got: unknown }[];
  /** Title of the page that the driver found after it had connected again. */
  readonly found: string;
}

/**
 * Runs the complete script with one driver, disconnects, connects again and searches for the page. A failing step does
 * not end the script.
 */
export async function play(connect: Connect, address: string, world: World): Promise<Played> {
  const driver = await connect(address);
  const steps: Played['steps'][number][] = [];
  for (const { step, run } of script) {
    const [outcome] = await Promise.allSettled([run(driver, world)]);
    steps.push({ step, got: outcome?.status === 'rejected' ? String(outcome.reason) : outcome?.value });
  }
  await driver.leave();
  const again = await connect(address, world.origin);
  const found = await again.title();
  await again.leave();
  return { steps, found };
}

/** Expected results. */
export const wanted: Played = { steps: script.map(({ step, want }) => ({ step, got: want })), found: 'Desk of Ada' };

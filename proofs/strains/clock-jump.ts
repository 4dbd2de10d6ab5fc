import type { Draw } from '../draw.ts';
import type { Strain } from './strain.ts';

const hourMs = 3_600_000;
const hoursMax = 12;

/** Jumps of the time of the machine by hours, forward and back, over the control address of the service. */
export function jumpClock(control: () => string, draw: Draw): Strain {
  return {
    name: 'clock jump',
    what: `the time of the machine jumps by up to ${hoursMax} hours, forward and back`,
    refusals: [],
    lastsMs: [0, 0],
    async begin() {
      const advanceMs = Math.round((draw.random() * 2 - 1) * hoursMax * hourMs);
      const { status } = await fetch(`${control()}/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advanceMs }),
      });
      if (status !== 200) throw new Error(`the clock was moved by ${advanceMs} ms and answered ${status}`);
    },
    end: async () => undefined,
    remove: () => undefined,
  };
}

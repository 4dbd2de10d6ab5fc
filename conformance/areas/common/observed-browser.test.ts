import { expect, it } from 'vitest';
import { createWorkshop } from '../../runner/drive.ts';
import type { Drive } from '../../core/scenario.ts';
import { settle } from '../../runner/options.ts';
import { fakeTarget } from '../../testing/fake-target.ts';
import { CdpFault } from '../../transport/cdp/index.ts';
import { answeredFault } from '../../transport/cdp/cdp-fault.ts';
import { persist } from './observed-browser.ts';

function driveNowhere(): Drive {
  const settings = settle({ target: fakeTarget('http://127.0.0.1:1'), apiKey: 'svc_key' });
  return createWorkshop({ settings, signal: new AbortController().signal }).drive('test');
}

it.each([
  { fault: answeredFault(-32_601, "'Page.enable' wasn't found"), want: 1 },
  { fault: answeredFault(-32_000, 'not yet'), want: 11 },
  { fault: new CdpFault('the connection was closed'), want: 11 },
])('tries $want times where $fault.message', async ({ fault, want }) => {
  let tries = 0;
  const outcome = await persist(driveNowhere(), 10, () => {
    tries += 1;
    return Promise.reject(fault);
  });
  expect({ tries, outcome }).toEqual({ tries: want, outcome: { fault: fault.message } });
});

it('gives up at its deadline where no answer shows that time passes', async () => {
  const drive = driveNowhere();
  let tries = 0;
  const outcome = await persist(drive, 10, () => {
    tries += 1;
    return drive.cdp.use('raw', 'nowhere', (client) => client.ping());
  });
  expect(outcome).toEqual({ fault: '"nowhere" is no address' });
  // Each wait of a millisecond counts as one.
  expect(tries).toBe(11);
});

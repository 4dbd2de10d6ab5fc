import { expect, it } from 'vitest';
import { createRunContext } from '../runner/run-context.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { settle } from '../runner/options.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { CdpFault } from '../transport/cdp/index.ts';
import { answeredFault } from '../transport/cdp/cdp-fault.ts';
import { persist } from './observed-browser.ts';

function driveNowhere(): ScenarioContext {
  const settings = settle({ target: fakeTarget('http://127.0.0.1:1'), apiKey: 'svc_key' });
  return createRunContext({ settings, signal: new AbortController().signal }).contextFor('test');
}

it.each([
  { fault: answeredFault(-32_601, "'Page.enable' wasn't found"), want: 1 },
  { fault: answeredFault(-32_000, 'not yet'), want: 11 },
  { fault: new CdpFault('the connection was closed'), want: 11 },
])('tries $want times after the fault $fault.message', async ({ fault, want }) => {
  let tries = 0;
  const outcome = await persist(driveNowhere(), 10, () => {
    tries += 1;
    return Promise.reject(fault);
  });
  expect({ tries, outcome }).toEqual({ tries: want, outcome: { fault: fault.message } });
});

it('gives up at its deadline without any answer', async () => {
  const context = driveNowhere();
  let tries = 0;
  const outcome = await persist(context, 10, () => {
    tries += 1;
    return context.cdp.use('raw', 'nowhere', (client) => client.ping());
  });
  expect(outcome).toEqual({ fault: '"nowhere" is no address' });
  // The clock of the context advances by one millisecond with each pause.
  expect(tries).toBe(11);
});

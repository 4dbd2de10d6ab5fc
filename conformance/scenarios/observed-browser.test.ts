import { expect, it } from 'vitest';
import { createWorkshop } from '../drive.ts';
import { settle } from '../options.ts';
import { fakeTarget } from '../testing/fake-target.ts';
import { persist } from './observed-browser.ts';

it('gives up at its deadline where no answer shows that time passes', async () => {
  const settings = settle({ target: fakeTarget('http://127.0.0.1:1'), apiKey: 'svc_key' });
  const drive = createWorkshop({ settings, signal: new AbortController().signal }).drive('test');
  let tries = 0;
  const outcome = await persist(drive, 10, () => {
    tries += 1;
    return drive.cdp.use('raw', 'nowhere', (client) => client.ping());
  });
  expect(outcome).toEqual({ fault: '"nowhere" is no address' });
  // Each wait of a millisecond counts as one.
  expect(tries).toBe(11);
});

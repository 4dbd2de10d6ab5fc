import { describe, expect, it } from 'vitest';
import { sendOverHttp } from '../transport/send-over-http.ts';
import type { Report } from '../core/report.ts';
import type { Fault } from './faults.ts';
import { judgeFake } from './judge-fake.ts';

const listVerdicts = ({ requirements }: Report): string[] => requirements.map(({ id, verdict }) => `${id} ${verdict}`);

describe('a fake service that is asked in the process', () => {
  it.each<{ faults: readonly Fault[] }>([
    { faults: [] },
    { faults: ['bearer accepted', 'query key accepted', 'detail is text', 'live page forbids frames'] },
  ])('is judged as it is over the network, with the faults $faults', async ({ faults }) => {
    const overHttp = await judgeFake({ faults, options: { transport: sendOverHttp } });
    expect(listVerdicts(await judgeFake({ faults }))).toEqual(listVerdicts(overHttp));
  });
});

import { describe, expect, it } from 'vitest';
import { judgeFake } from '../testing/judge-fake.ts';
import { renderTerminal } from './terminal.ts';

const report = await judgeFake({ faults: ['one V3 cell accepted', 'V4 list unsorted'], options: { spend: 'none' } });
// What is copied into a shell stays on one line.
const isProse = (line: string): boolean => !/^ {4}(request|replay|input|script| {7}) /.test(line);

describe('the terminal report', () => {
  it.each([80, 120])('fits into %d columns', (columns) => {
    const lines = renderTerminal(report, { columns }).split('\n').filter(isProse);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  it('has colours only when they are asked for', () => {
    expect(renderTerminal(report)).not.toContain('\u001b[');
    expect(renderTerminal(report, { colour: true })).toContain('\u001b[31m');
  });

  it('says what was violated and never that a target conforms', () => {
    const text = renderTerminal(report);
    expect(text).toContain('VIOLATION MUST V3-THINK-REFUSES (1 of 11 cells)');
    expect(text).toContain('V3-THINK-21: glm-5.2 medium answered 200; expected a refusal with 422');
    expect(text).toMatch(/No violation in \d+ of \d+ requirements\./);
    expect(text).not.toMatch(/conforms/i);
  });

  it('keeps what goes beyond the contract apart', async () => {
    const only = ['TENANCY-10', 'TENANCY-13', 'V4-RUN-02'];
    const text = renderTerminal(await judgeFake({ faults: ['other project lists runs'], options: { only } }));
    const [contract = '', beyond = ''] = text.split('Beyond the contract (2, not part of the totals)');
    expect(contract).not.toContain('TENANCY');
    expect(beyond).toContain('VIOLATION MUST TENANCY-13');
    expect(beyond).toContain('Beyond the contract: 1 passed, 1 violated.');
    expect(beyond).toContain('No violation in 1 of 1 requirements.');
  });

  it('says in one line what nobody has asked for', async () => {
    const options = { only: ['V4-RUN-30', 'V4-RUN-02'], profile: 'documented' } as const;
    expect(renderTerminal(await judgeFake({ options }))).toContain('not run: needs --profile full');
  });

  it('gives a line to send each failing request again, without the key', () => {
    const text = renderTerminal(report);
    expect(text).toContain('request curl -i -X POST');
    expect(text).toContain('X-Service-API-Key: $SERVICE_API_KEY');
    expect(text).toContain('svc replay svc1.');
  });
});

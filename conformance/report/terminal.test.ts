import { describe, expect, it } from 'vitest';
import { judgeFake } from '../testing/judge-fake.ts';
import { renderTerminal } from './terminal.ts';

const report = await judgeFake({ faults: ['one V3 cell accepted', 'V4 list unsorted'], options: { spend: 'none' } });
// What is copied into a shell stays on one line.
const isProse = (line: string): boolean => !/^ {4}(request|replay|input) /.test(line);

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

  it('gives a line to send each failing request again, without the key', () => {
    const text = renderTerminal(report);
    expect(text).toContain('request curl -i -X POST');
    expect(text).toContain('X-Service-API-Key: $SERVICE_API_KEY');
    expect(text).toContain('svc replay svc1.');
  });
});

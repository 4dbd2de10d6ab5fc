import { describe, expect, it } from 'vitest';
import { judgeFake } from '../testing/judge-fake.ts';
import type { Report } from '../core/report.ts';
import { createReport } from '../testing/create-report.ts';
import { renderTerminal } from './terminal.ts';

const report = await judgeFake({ faults: ['one V3 cell accepted', 'V4 list unsorted'], options: { spend: 'none' } });
// A replay token cannot be broken, so it has its own line.
const isProse = (line: string): boolean => !/^svc1\.\S+$/.test(line);

describe('the terminal report', () => {
  it.each([
    [80, 'normal'],
    [80, 'full'],
    [120, 'normal'],
    [120, 'full'],
  ] as const)('fits into %d columns (%s)', (columns, extent) => {
    const lines = renderTerminal(report, { columns, extent }).split('\n').filter(isProse);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  it('has colours only when they are asked for', () => {
    expect(renderTerminal(report)).not.toContain('\u001b[');
    expect(renderTerminal(report, { colour: true })).toContain('\u001b[31m');
  });

  it('shows the cause of findings with an example, and never says that a target conforms', () => {
    const text = renderTerminal(report, { columns: 200 });
    expect(text).toContain('Findings: 3 causes in 4 requirements');
    expect(text).toContain('VIOLATION v3 createSession answered 200; expected 422');
    expect(text).toMatch(
      / {2}2 requirements: ERR-06, V3-THINK-REFUSES\n {2}1 operation: v3 createSession\n {2}3 cells: glm-5.2 medium, glm-5.2 medium beside .*, glm-5.2 medium beside /,
    );
    expect(text).toContain('answer 200 {"id":');
    expect(text).not.toMatch(/conforms/i);
  });

  it.each(['normal', 'full'] as const)('shows the words of the contract below the requirement (%s)', (extent) => {
    const text = renderTerminal(report, { extent, columns: 80 });
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Contract: “Rule: an unsupported V2/V3 model and level pair returns HTTP 422 before any task is dispatched.”',
    );
  });

  it('shows every requirement, its cells and the ids of what was not judged with `full`', () => {
    const text = renderTerminal(report, { extent: 'full', columns: 200 });
    expect(text).toMatch(/VIOLATION MUST V3-THINK-REFUSES \(3 of \d+ cells\)/);
    expect(text).toContain('V3-THINK-21: glm-5.2 medium answered 200; expected a refusal with 422');
    expect(text).toMatch(/ {3}3 {2}the contract gives no criterion \(EVT-02, SVC-04, VER-12\)/);
  });

  it('has one line for each reason why requirements were not judged', () => {
    const [, lines = ''] = /Not testable \(43\)\n([\s\S]*?)\n\n/.exec(renderTerminal(report)) ?? [];
    expect(lines.split('\n').length).toBe(7);
    expect(lines.split('\n').filter((line) => !/^ {2,4}\d+ {2}\S/.test(line))).toEqual([]);
  });

  it('says which kinds of resources were created', () => {
    const entry = { generation: 'v3', createdBy: 'createSession', state: 'ended' } as const;
    const created = (['browser', 'session', 'session'] as const).map((kind) => ({ ...entry, kind }));
    expect(renderTerminal({ ...report, created, left: [] })).toContain('created 3 (2 sessions, 1 browser), left 0');
    expect(renderTerminal({ ...report, created: [], left: [] })).toContain('created 0, left 0');
  });

  it('fits on a screen of 42 lines after a free run without a violation', async () => {
    const passed = await judgeFake({ options: { spend: 'none', profile: 'documented' } });
    expect(renderTerminal(passed, { columns: 80 }).split('\n').length).toBeLessThanOrEqual(42);
  });

  // `npm run conformance` prints the brief report of each part with a title, and a verdict of all parts, on at most 60
  // lines.
  it('shows briefly a part that passed in 8 lines and one that failed in 52', async () => {
    const passed = await judgeFake({ options: { spend: 'none' } });
    const lines = (one: Report): number => renderTerminal(one, { columns: 100, extent: 'brief' }).split('\n').length;
    expect([lines(passed) <= 8, lines(report) <= 52, lines(report) > 8]).toEqual([true, true, true]);
  });

  it.each([
    ['brief', 5],
    ['normal', 12],
  ] as const)('folds causes beyond a number (%s: %i)', (extent, shown) => {
    const failing = Array.from({ length: 14 }, (_row, index) => ({
      verdict: 'violation' as const,
      failures: [{ message: `fault ${String.fromCodePoint(97 + index)}`, replay: 'svc1.x' }],
    }));
    const text = renderTerminal(createReport(failing), { extent });
    expect(text.match(/^VIOLATION fault/gm)).toHaveLength(shown);
    expect(text).toContain(`and ${14 - shown} more causes`);
  });

  it('ends with the next step before the verdict', () => {
    const text = renderTerminal(report, { columns: 200 });
    const [browser, task] = ['browser', 'task'].map(
      (spend) =>
        report.requirements.filter(
          ({ profile, reason }) => profile === 'documented' && reason === `needs --spend ${spend}`,
        ).length,
    );
    const adds = `\`--spend browser\` adds ${browser} requirements, \`--spend task\` ${task} more`;
    expect(text).toMatch(new RegExp(`${adds}.*\\n.*target file.*\\nFAILED: 4 violations.*\\n$`));
  });

  it('says how to go on where an operation was refused throughout', () => {
    const refused = { id: 'V3-CREATE-01', verdict: 'notTestable', reason: 'it was refused', blocked: true } as const;
    const text = renderTerminal(createReport([{}, refused]), { columns: 400 });
    expect(text).toContain('Next: With a key that has credit');
    expect(text).toContain('`--only V3-CREATE-01`');
  });

  it('keeps what goes beyond the contract apart', async () => {
    const only = ['TENANCY-10', 'TENANCY-13', 'V4-RUN-02'];
    const judged = await judgeFake({ faults: ['other project lists runs'], options: { only } });
    const text = renderTerminal(judged, { columns: 200 });
    expect(text).toContain('FAILED: 1 violation (0 contract, 1 beyond) · 1 passed · beyond the contract 1 passed');
    expect(text).toContain('VIOLATION (beyond the contract)');
    const [contract = '', beyond = ''] = renderTerminal(judged, { extent: 'full' }).split(
      'Beyond the contract (2, not part of the totals)',
    );
    expect(contract).not.toContain('TENANCY');
    expect(beyond).toContain('VIOLATION MUST TENANCY-13');
  });

  it('shows in one line the rows beyond the profile', async () => {
    const options = { only: ['V4-RUN-30', 'V4-RUN-02'], profile: 'documented' } as const;
    expect(renderTerminal(await judgeFake({ options }))).toContain(
      'Beyond the contract, not judged (1)\n    1  needs --profile full',
    );
  });

  it('says how many rows beyond the contract cost nothing more', async () => {
    const options = { only: ['V4-RUN-30', 'V4-RUN-02'], profile: 'documented' } as const;
    expect(renderTerminal(await judgeFake({ options }))).toContain(
      'Next: `--profile full` adds 1 requirement beyond the contract at no further\n      cost.',
    );
  });

  it('gives a line to send each failing request again, without the key', () => {
    const text = renderTerminal(report);
    expect(text).toContain('curl -i -X POST');
    expect(text).toContain('X-Service-API-Key: $SERVICE_API_KEY');
    expect(text).toMatch(/svc replay \\\nsvc1\.\S+\n/);
  });
});

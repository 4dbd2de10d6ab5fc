import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { judgeFake } from '../testing/judge-fake.ts';
import { createReport } from '../testing/create-report.ts';
import { renderJunit } from './junit.ts';

const schema = readFileSync(new URL('../testing/junit.xsd', import.meta.url), 'utf8');

/** Returns the schema problems of several reports in one call, because each call of the validator starts a process. */
async function problems(...reports: string[]): Promise<string[]> {
  const xml = reports.map((contents, at) => ({ fileName: `report-${at}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema: [schema] });
  return errors.map(({ message }) => message);
}

describe('a report as JUnit', () => {
  it('is what build servers read, on a broken service', async () => {
    const report = await judgeFake({ faults: ['one V3 cell accepted', 'detail is text'], options: { spend: 'none' } });
    const xml = renderJunit(report);
    expect(await problems(xml)).toEqual([]);
    const { violations } = report.totals;
    expect(xml.match(/<failure /g)).toHaveLength(violations + report.beyond.violations);
    expect(xml.match(/<testcase /g)).toHaveLength(report.requirements.length + 1);
    const skipped = [report.totals, report.beyond].reduce(
      (sum, { notTestable, notRun }) => sum + notTestable + notRun,
      0,
    );
    expect(xml.match(/<skipped /g)).toHaveLength(skipped);
    expect(xml).toContain('<property name="seed" value="1"/>');
    expect(xml).toContain('V3-THINK-21: glm-5.2 medium answered 200; expected a refusal with 422');
    expect(xml).toContain('Contract: “Rule: an unsupported V2/V3 model and level pair returns HTTP 422');
    expect(xml).toContain('curl -i -X POST');
    expect(xml).toContain('svc replay svc1.');
  });

  it('stays well-formed whatever a broken service has answered', async () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(']]>', '<![CDATA[', '&#0;', '\u0000\u0008\u001F', '\uD800', '\uFFFE', '"\'<&>', '-->', '\r\n\t'),
    );
    const rows = fc.array(
      fc.record({
        verdict: fc.constantFrom('violation', 'error', 'warning', 'note', 'notTestable', 'notRun', 'pass'),
        text: nasty,
        reason: nasty,
        failures: fc.array(fc.record({ message: nasty, counterexample: nasty, curl: nasty, replay: nasty })),
      }),
      { minLength: 1, maxLength: 12 },
    );
    const reports = fc.sample(rows, { seed: 3, numRuns: 12 }).map((list) => renderJunit(createReport(list)));
    expect(await problems(...reports)).toEqual([]);
  });

  it('fails for a violation, has an error for a fault of the suite, and only tells of a warning', () => {
    const failures = [{ message: 'found 1', replay: 'svc1.x' }];
    const xml = renderJunit(
      createReport([
        { verdict: 'violation', failures },
        { verdict: 'error', reason: 'TypeError: x\n at y' },
        { verdict: 'warning', level: 'SHOULD', failures },
        { verdict: 'notRun', reason: 'needs --spend task' },
        { verdict: 'notTestable', reason: 'advice: none' },
        { verdict: 'pass' },
      ]),
    );
    expect(xml).toContain('name="errors" tests="6" failures="1" errors="1" skipped="2"');
    expect(xml).toContain('<failure message="found 1" type="violation">');
    expect(xml).toContain('<error message="TypeError: x" type="error">');
    expect(xml).toContain('<skipped message="not run: needs --spend task"/>');
    expect(xml).toContain('<system-out>warning');
  });

  it('skips a known failure that is accepted', async () => {
    const accepted = { reason: 'known', link: 'https://example.com/1', expires: '2027-01-01' };
    const row = { verdict: 'violation' as const, failures: [{ message: 'x', replay: 'y' }], accepted };
    const xml = renderJunit(createReport([row]));
    expect(xml).toContain('<skipped message="accepted until 2027-01-01: known (https://example.com/1)"/>');
    expect(xml).not.toContain('<failure');
    expect(await problems(xml)).toEqual([]);
  });

  it('fails the run as a whole where no requirement shows why', async () => {
    const left = { kind: 'session', generation: 'v3', id: 's1', createdBy: 'createSession', state: 'live' } as const;
    const xml = renderJunit({ ...createReport([{}]), left: [left] });
    expect(xml).toContain('tests="2" failures="1" errors="0" skipped="0"');
    expect(xml).toContain('<failure message="FAILED: 1 resource left alive · 1 passed" type="failed"/>');
    expect(await problems(xml)).toEqual([]);
  });

  it('is told apart from what no build server reads', async () => {
    expect(await problems('<testsuites tests="x"/>')).not.toEqual([]);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeFake } from '../testing/judge-fake.ts';
import { createReport } from '../testing/create-report.ts';
import { markdownBytesMax, renderMarkdown } from './markdown.ts';
import type { LedgerEntry } from '../core/ledger.ts';
import type { ReportRow } from '../core/report.ts';

const report = await judgeFake({
  faults: ['one V3 cell accepted', 'V4 list unsorted'],
  options: { spend: 'none', profile: 'documented' },
});

function count(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

/** Creates the entry of a resource that remains after a run. */
function createLeft(id: string): LedgerEntry {
  return { kind: 'session', generation: 'v3', id, createdBy: 'v3 createSession', state: 'live' };
}

/** Returns the text without its code blocks, in which no markup applies. */
function outsideCode(text: string): string {
  return text.replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
}

describe('a report as Markdown', () => {
  it('says what was found and what was not looked at', () => {
    const text = renderMarkdown(report);
    const { passed, notTestable, notRun } = report.totals;
    const verdict = `FAILED: 4 violations · ${passed} passed · ${notTestable} not testable · ${notRun} not run`;
    expect([text.startsWith(`## ${verdict}\n`), text.endsWith(`\n**${verdict}**\n`)]).toEqual([true, true]);
    expect(text).toContain('| violation | v3 createSession answered 200; expected 422 | 2 | 1 | 3 |');
    expect(text).toContain(`| Contract | ${report.totals.passed} | 4 |`);
    expect(text).toMatch(/<details><summary><b>VIOLATION<\/b> MUST <b>V3-THINK-REFUSES<\/b> \(3 of \d+ cells\)/);
    expect(text).toContain('V3-THINK-21: glm-5.2 medium answered 200; expected a refusal with 422');
    expect(text).toMatch(/```text\ncurl -i -X POST .*\nanswer: 200 .*\nsvc replay svc1\./);
    expect(text).toMatch(/Not judged: \d+ requirements/);
    expect(text).toContain('not run: needs --spend task');
  });

  it('shows the worst first', () => {
    const text = renderMarkdown(
      createReport([
        { id: 'N', verdict: 'note' },
        { id: 'E', verdict: 'error' },
        { id: 'V1', verdict: 'violation', cells: { total: 9, judged: 9, failed: 1 } },
        { id: 'W', verdict: 'warning' },
        { id: 'V2', verdict: 'violation', cells: { total: 9, judged: 9, failed: 2 } },
      ]),
    );
    expect([...text.matchAll(/<b>(V2|V1|E|W|N)<\/b>/g)].map(([, id]) => id)).toEqual(['V2', 'V1', 'E', 'W', 'N']);
  });

  it('shows the words of the contract as text', () => {
    const text = renderMarkdown(createReport([{ verdict: 'violation', quote: 'task | string | `<goal>`' }]));
    expect(text).toContain('\n\nContract: “task &#124; string &#124; &#96;&#60;goal&#62;&#96;”\n\ncontract 1\n\n');
  });

  it('stays within its bounds, closes what it opens, and says what is missing', () => {
    const long = 'ä|`<b>`'.repeat(4000);
    const rows = Array.from({ length: 300 }, (_none, at): Partial<ReportRow> => {
      const failures = Array.from({ length: 9 }, () => ({ message: long, curl: long, replay: long }));
      return at % 2 === 0 ? { verdict: 'violation', failures } : { verdict: 'notRun', reason: `${at} ${long}` };
    });
    const text = renderMarkdown(createReport(rows));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(markdownBytesMax);
    expect(Buffer.byteLength(text)).toBeGreaterThan(markdownBytesMax / 2);
    expect(count(text, /<details>/g)).toBe(count(text, /<\/details>/g));
    expect(text).toMatch(
      /\*\d+ more parts do not fit here; the JSON report has them\.\*\n\n.*\n\n\*\*FAILED: .*\*\*\n$/,
    );
  });

  it('stays within its bounds with thousands of remaining resources, and states how many lines are omitted', () => {
    const left = Array.from({ length: 3000 }, (_none, at) => createLeft(`resource-${at}`));
    const text = renderMarkdown({ ...createReport([{ verdict: 'violation' }]), left });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(markdownBytesMax);
    expect(text).toContain('**Left: v3 session resource-0.**');
    const shown = count(text, /^\*\*Left: .*\*\*$/gm);
    expect(text).toContain(`\n\n*${3000 - shown} more lines do not fit here; the JSON report has them.*\n\n`);
    // The list of remaining resources leaves room for the findings, and the verdict ends the text.
    expect(text).toContain('<b>VIOLATION</b> MUST <b>ROW-0</b>');
    expect(text).toMatch(/\n\n\*\*FAILED: .*3000 resources left alive.*\*\*\n$/);
  });

  it('stays within its bounds with long texts in the head and the foot', () => {
    const long = '\u2028<`'.repeat(40_000);
    const rows = Array.from(
      { length: 2000 },
      (_none, at): Partial<ReportRow> => ({
        id: `LONG-IDENTIFIER-OF-A-ROW-${at}`,
        verdict: 'notTestable',
        blocked: true,
        reason: `operation ${at} answered 403 ${at === 0 ? long : ''}`,
      }),
    );
    const refused = createReport(rows);
    const text = renderMarkdown({
      ...refused,
      target: { ...refused.target, url: `http://127.0.0.1/${long}` },
      left: [createLeft(long)],
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(markdownBytesMax);
    expect(text).toMatch(/^## INCOMPLETE|^## FAILED/);
    expect(text).toContain('**Left: v3 session ');
    expect(text).toMatch(
      /\n\n\*\d+ more lines? do(es)? not fit here; the terminal report has (it|them)\.\*\n\n\*\*[A-Z]+/,
    );
  });

  it('gives no meaning to what a broken service has answered', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        '</details>',
        '<img src=x onerror=y>',
        '@team',
        '#12',
        '| a | b |',
        '````\n```',
        '[x](y)',
        '**b**',
      ),
    );
    const row = fc.record({
      verdict: fc.constantFrom('violation' as const, 'notRun' as const, 'error' as const),
      id: nasty,
      text: nasty,
      reason: nasty,
      failures: fc.array(fc.record({ message: nasty, curl: nasty, replay: nasty }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
        const text = outsideCode(renderMarkdown(createReport(rows)));
        const tags = [...text.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
        expect(tags.filter((tag) => !/^<\/?(details|summary|b)>$/.test(tag))).toEqual([]);
        expect(count(text, /<details>/g)).toBe(count(text, /<\/details>/g));
        expect(text).not.toMatch(/[@`\\[\]]/);
        const lines = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
        expect(lines.map((line) => count(line, /\|/g)).filter((bars) => ![9, 6, 4].includes(bars))).toEqual([]);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

import { levelCells } from '#conformance/common/level-cells.ts';
import { acceptedParamCells, foreignPathCells, refusedParamCells } from '#conformance/common/param-cells.ts';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Report, renderHtml, reportCauses, runVerdict } from '#conformance/index.ts';
import { countVerdicts } from '#conformance/runner/count-verdicts.ts';
import { judgeFake } from '#conformance/testing/judge-fake.ts';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { readOutputs, writeOutputs } from '../src/cli/check/outputs.ts';

/** Text that a hostile target puts into every record. The report must show it and never run it. */
const hostile = `</script><script>document.title="hacked"</script><img src="http://127.0.0.1:9/x" onerror="document.title='hacked'">`;
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const folder = mkdtempSync(join(tmpdir(), 'svc-html-'));
const file = join(folder, 'report.html');
let browser: Browser;
let report: Report;
/**
 * A report that is open in a browser, for tests that do not change the page. Opening a report takes a second of
 * processor time.
 */
let opened: Opened;

beforeAll(async () => {
  report = await judgeFake({
    faults: ['one V3 cell accepted', 'end state is left', 'no updatedAt'],
    override: { stepCount: hostile, lastStepSummary: 'long '.repeat(40_000) },
  });
  writeOutputs(report, readOutputs(`html=${file}`));
  const { path, environment } = await findChromium();
  browser = await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox'],
    env: { ...process.env, ...environment },
  });
  opened = await open();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A report that is open in a browser, the URLs that the page requested, and its console messages and errors. */
interface Opened {
  readonly page: Page;
  readonly asked: readonly string[];
  readonly complaints: readonly string[];
}

async function open(options: BrowserContextOptions = {}, address = pathToFileURL(file).href): Promise<Opened> {
  const context = await browser.newContext({ viewport: sizes.desktop, ...options });
  const asked: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  context.on('console', (message) => complaints.push(message.text()));
  context.on('weberror', (error) => complaints.push(error.error().message));
  const page = await context.newPage();
  await page.goto(address);
  return { page, asked, complaints };
}

/**
 * Returns a report with only the requirements that have failures, for tests that are not about the table of
 * requirements. The rows without failures are most of the page.
 */
function ofFindings(one: Report): Report {
  return { ...one, requirements: one.requirements.filter(({ failures }) => failures.length > 0) };
}

/** Writes a changed copy of the report to a new HTML file, and returns its URL. */
function variant(name: string, change: (report: Report) => Report): string {
  const other = join(folder, `${name}.html`);
  writeFileSync(other, renderHtml(change(structuredClone(report))));
  return pathToFileURL(other).href;
}

const shownRows = (page: Page): Promise<string[]> =>
  page.locator('table.requirements tbody tr:visible').evaluateAll((rows) => rows.map((row) => row.id));

/** Opens a collapsed section of the page. */
async function unfold(page: Page, id: string): Promise<void> {
  await page.locator(`#${id} > details`).evaluate((part) => part.setAttribute('open', ''));
}

/** Opens the findings by requirement. */
async function unfoldFindings(page: Page): Promise<void> {
  await page.locator('.by-requirement').evaluate((part) => part.setAttribute('open', ''));
}

/** Returns the ids of the requirements with one of these verdicts. */
const withVerdict = (...verdicts: string[]): string[] =>
  report.requirements.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);

describe('the page', () => {
  it('is one file without requests and without errors', async () => {
    const { asked, complaints } = opened;
    expect(asked).toEqual([pathToFileURL(file).href]);
    expect(complaints).toEqual([]);
  });

  it('says in its first sentence, and again in its last, what the run came to', async () => {
    const { text } = runVerdict(report);
    expect(text).toMatch(/^FAILED: \d+ violations/);
    expect(await opened.page.getByRole('heading', { level: 1 }).textContent()).toBe(text);
    expect(await opened.page.locator('footer p').first().textContent()).toBe(text);
    const left = { kind: 'run', generation: 'v4', id: 'r1', createdBy: 'createRun', state: 'live' } as const;
    const only = variant('left', (one) => ({ ...one, ...countVerdicts([]), requirements: [], left: [left] }));
    const { page } = await open({}, only);
    const heading = page.getByRole('heading', { level: 1 });
    expect(await heading.textContent()).toBe('FAILED: 1 resource left alive · 0 passed');
    expect(await heading.getAttribute('class')).toBe('bad');
    await page.context().close();
  });

  it.each(['desktop', 'phone'] as const)('is short until its parts are opened (%s)', async (size) => {
    const { page } = await open({ viewport: sizes[size] });
    expect(Number(await page.evaluate('document.documentElement.scrollHeight'))).toBeLessThan(8000);
    expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBeLessThanOrEqual(sizes[size].width);
    await page.context().close();
  });

  it('lists the causes of its findings, each with an example and links to the requirements', async () => {
    const { page } = opened;
    const causes = reportCauses(report);
    expect(await page.locator('.cause').count()).toBe(causes.length);
    const cause = page.locator('.cause', { hasText: 'v3 createSession answered 200; expected 422' });
    expect(await cause.locator('.where a').allTextContents()).toEqual(['ERR-06', 'V3-THINK-REFUSES']);
    expect(await cause.locator('.where code').allTextContents()).toContain('glm-5.2 medium');
    expect(await cause.locator('.quote').textContent()).toBe(
      'Contract: “Rule: an unsupported V2/V3 model and level pair returns HTTP 422 before any task is dispatched.”',
    );
    expect(await cause.locator('mark').first().textContent()).toBe('at fault: 200');
    expect(await page.locator('.cause[open]').count()).toBe(1);
  });

  it('says what a certificate, a baseline, an estimate and a part of a run add', async () => {
    const address = variant('more', (one) => ({
      ...one,
      target: { ...one.target, url: 'https://api.example.com' },
      certify: [
        {
          set: 'v4',
          frozen: '2026-11-01',
          certified: false,
          passed: 7,
          total: 9,
          missing: [
            { id: 'V4-RUN-01', verdict: 'notRun', why: 'needs --spend task' },
            { id: 'GONE-01', verdict: 'notRun', why: 'left' },
          ],
          excluded: [],
          advised: [],
        },
      ],
      baseline: {
        file: 'known.yaml',
        accepted: ['ERR-06'],
        stale: [{ name: 'ERR-07', why: 'it passes' }],
        expired: [],
        notJudged: [],
        unknownCells: [],
      },
      estimate: {
        dispatches: 5,
        browsers: 0,
        browserMinutes: 0,
        storage: false,
        expectedUsd: null,
        atMostUsd: '1.25',
        limitUsd: null,
        notes: [],
      },
      shard: { index: 2, of: 3, plan: 'p', rows: [] },
      left: [
        { kind: 'run', generation: 'v4', id: 'r1', createdBy: 'createRun', state: 'live', curl: 'curl -i -X POST end' },
      ],
    }));
    const { page, complaints } = await open({}, address);
    const head = await page.getByRole('banner').innerText();
    for (const text of [
      'Not certified V4',
      '7 of 9',
      '2 not shown',
      'known.yaml: 1 requirement accepted',
      '1 entry stale',
      'USD of at most 1.25',
      '2 of 3',
      'V4 run r1, which could not be ended',
      'curl -i -X POST end',
    ])
      expect(head).toContain(text);
    expect(await page.locator('.notice a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      '#V4-RUN-01',
    ]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('names the command that repeats the run', async () => {
    const { page } = opened;
    const { target, seed } = report;
    const command = `svc check ${target.url} --profile full --spend task --seed ${seed}`;
    expect(await page.locator('.head .copyable code').textContent()).toBe(command);
  });
});

describe('what a hostile target says', () => {
  it('is shown as text and never run', async () => {
    const { page, asked, complaints } = opened;
    expect(await page.locator('#finding-V3-SESSION-16').textContent()).toContain('</script><script>document.title=');
    expect(await page.title()).toBe(`${report.target.url}: conformance report`);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('img, iframe, object, link, base').count()).toBe(0);
    expect([asked.length, complaints]).toEqual([1, []]);
  });

  it('would not run even if it were not escaped, because the policy lets only our own script in', async () => {
    const { page } = await open({}, variant('policy', ofFindings));
    const failed: (string | undefined)[] = [];
    page.on('requestfailed', (request) => failed.push(request.failure()?.errorText));
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'document.title = "hacked"';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(hostile)});
    }`);
    await expect.poll(() => failed).toEqual(['csp']);
    expect(await page.title()).not.toBe('hacked');
    await page.context().close();
  });

  it('is cut where it is long, and the page says so', async () => {
    const { page } = opened;
    expect(await page.locator('#finding-V3-SESSION-16 .cut').first().textContent()).toContain(
      'at most 10000 are shown',
    );
    expect(await page.locator('#finding-V3-SESSION-16 pre').first().textContent()).toContain('(200002 characters)');
    expect(JSON.stringify(report).length).toBeGreaterThan(5_000_000);
    expect(statSync(file).size).toBeLessThan(3_000_000);
  });

  it('keeps the member at fault in sight, however much stands before it', async () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_item, index) => [`member${index}`, index]));
    const address = variant('deep', (one) => ({
      ...ofFindings(one),
      exchanges: one.exchanges.map((exchange) => ({ ...exchange, json: { ...many, ...Object(exchange.json) } })),
    }));
    const { page } = await open({}, address);
    const mark = page.locator('#finding-V3-SESSION-16 mark').first();
    expect(await mark.textContent()).toContain('"stepCount"');
    const below = Number(
      await page.evaluate(`(() => {
        const mark = document.querySelector('#finding-V3-SESSION-16 mark');
        return mark.getBoundingClientRect().top - mark.closest('pre').getBoundingClientRect().top;
      })()`),
    );
    expect(below).toBeGreaterThan(50);
    expect(below).toBeLessThan(400);
    expect(await page.locator('#finding-V3-SESSION-16 .gap').first().textContent()).toMatch(
      /… \d+ lines are not shown …/,
    );
    await page.context().close();
  });
});

describe('a finding', () => {
  it('stands before those that weigh less: by its verdict, then the contract before what goes beyond it', async () => {
    const verdicts = ['note', 'violation', 'pass', 'warning', 'error', 'notRun'] as const;
    const mixed = variant('mixed', (one) => ({
      ...one,
      requirements: one.requirements.map((row, index) => ({ ...row, verdict: verdicts[index % 6] ?? 'pass' })),
    }));
    const { page } = await open({}, mixed);
    const classes = await page
      .locator('.finding')
      .evaluateAll((all) =>
        all.map(
          (one) =>
            `${String(one.getAttribute('class')).replace('finding ', '')} ${one.querySelector('.beyond') === null ? 'contract' : 'beyond'}`,
        ),
      );
    const order = ['violation', 'error', 'warning', 'note'].flatMap((name) => [`${name} contract`, `${name} beyond`]);
    expect([...new Set(classes)]).toEqual(order);
    expect(classes).toEqual(classes.toSorted((left, right) => order.indexOf(left) - order.indexOf(right)));
    await page.context().close();
  });

  it('marks the wrong member, the missing member, and the status', async () => {
    const { page } = opened;
    const marked = (id: string): Promise<string | null> => page.locator(`#finding-${id} mark`).first().textContent();
    expect(await marked('V3-SESSION-16')).toContain('at fault:   "stepCount": "</script>');
    expect(await marked('V3-SESSION-06')).toContain('updatedAt is missing');
    expect(await marked('V3-THINK-REFUSES')).toBe('at fault: 200');
  });

  it('gives lines that can be copied', async () => {
    const { page } = await open({}, variant('copied', ofFindings));
    await unfoldFindings(page);
    const failure = report.requirements.find(({ id }) => id === 'V3-THINK-REFUSES')?.failures[0];
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copy = (name: string): ReturnType<Page['locator']> =>
      page.locator('#finding-V3-THINK-REFUSES').getByRole('button', { name }).first();
    await copy('Copy the replay line').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`svc replay ${failure?.replay}`);
    await copy('Copy the curl line').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(failure?.curl);
    await page.context().close();
  });

  it('that a baseline accepts is told apart, with its reason', async () => {
    const accepted = { reason: 'known since May', link: 'javascript:alert(1)', expires: '2027-01-31' };
    const address = variant('accepted', (one) => ({
      ...ofFindings(one),
      requirements: ofFindings(one).requirements.map((row) =>
        row.id === 'V3-SESSION-16' ? { ...row, accepted } : row,
      ),
    }));
    const { page } = await open({}, address);
    const part = page.locator('details.accepted');
    expect(await part.locator('.acceptance').textContent()).toBe(
      'Accepted until 2027-01-31: known since May javascript:alert(1)',
    );
    expect(await part.locator('.acceptance a').count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('1 known violation accepted');
    await page.context().close();
  });

  it('shows the requests that lead to it', async () => {
    const script = ['curl -i -X POST one', 'curl -i <two>'];
    const address = variant('script', (one) => ({
      ...ofFindings(one),
      requirements: ofFindings(one).requirements.map((row) => ({
        ...row,
        failures: row.failures.map((failure) => ({ ...failure, script })),
      })),
    }));
    const { page } = await open({}, address);
    expect(await page.locator('.script').first().locator('li').allTextContents()).toEqual(script);
    await page.context().close();
  });
});

describe('the table of requirements', () => {
  it('has a row for each, violations first, with the reason of those that have no verdict', async () => {
    const { page } = opened;
    await unfold(page, 'requirements');
    const order = ['violation', 'error', 'warning', 'note', 'pass', 'notTestable', 'notRun'];
    const rows = report.requirements.toSorted(
      (one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict),
    );
    expect(await shownRows(page)).toEqual(rows.map(({ id }) => id));
    const reasons = await page
      .locator('table.requirements .why')
      .evaluateAll((all) => all.map((one) => [one.closest('tr')?.id, one.textContent]));
    const given = rows.filter(({ reason, verdict }) => reason !== undefined && verdict !== 'error');
    expect(given.some(({ verdict }) => verdict === 'notTestable')).toBe(true);
    expect(reasons).toEqual(given.map(({ id, reason }) => [id, reason]));
  });

  it('filters by verdict, generation, level, scope, area and words, and shows all again', async () => {
    const { page } = await open();
    await unfold(page, 'requirements');
    const filters = page.getByRole('search');
    const box = (name: string): ReturnType<Page['locator']> => filters.getByRole('checkbox', { name });
    await box('violation').check();
    expect(await shownRows(page)).toEqual(withVerdict('violation'));
    expect(await filters.getByRole('status').textContent()).toContain(`${withVerdict('violation').length} of `);
    await box('not testable').check();
    expect(await shownRows(page)).toEqual([...withVerdict('violation'), ...withVerdict('notTestable')]);
    await filters.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => page.locator('table.requirements tbody tr[hidden]').count()).toBe(0);
    await box('SHOULD').check();
    expect((await shownRows(page)).toSorted()).toEqual(
      report.requirements
        .filter(({ level }) => level === 'SHOULD')
        .map(({ id }) => id)
        .toSorted(),
    );
    await box('SHOULD').uncheck();
    await box('beyond it').check();
    expect((await shownRows(page)).toSorted()).toEqual(
      report.requirements
        .filter(({ profile }) => profile === 'full')
        .map(({ id }) => id)
        .toSorted(),
    );
    await filters.getByLabel('Area').selectOption('tenancy');
    await filters.getByLabel('Search').fill('project BROWSER');
    const rows = await shownRows(page);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every((id) => id.startsWith('TENANCY'))).toBe(true);
    await box('V2').check();
    await filters.getByLabel('Search').fill('no such words');
    expect(await page.getByText('No requirement matches these filters.').isVisible()).toBe(true);
    await page.context().close();
  });

  it('is put into another order by its heads', async () => {
    const { page } = await open();
    await unfold(page, 'requirements');
    await page.getByRole('button', { name: 'Verdict' }).click();
    const rows = await shownRows(page);
    expect(rows.slice(0, withVerdict('violation').length)).toEqual(withVerdict('violation'));
    expect(await page.getByRole('columnheader', { name: 'Verdict' }).getAttribute('aria-sort')).toBe('ascending');
    await page.getByRole('button', { name: 'Id', exact: true }).click();
    const first = await page.locator('table.requirements tbody th').first().textContent();
    expect(first).toBe('ACCOUNT-01');
    await page.context().close();
  });

  it('is reached by an address with an id, also where a filter hides the row', async () => {
    const { page } = await open({}, `${pathToFileURL(file).href}#V3-SESSION-16`);
    const row = page.locator('[id="V3-SESSION-16"]');
    const inView = async (): Promise<void> => {
      const top = `document.getElementById('V3-SESSION-16').getBoundingClientRect().top`;
      await expect.poll(() => page.evaluate(`${top} >= 0 && ${top} < innerHeight`)).toBe(true);
    };
    await inView();
    await page.getByRole('search').getByRole('checkbox', { name: 'pass' }).check();
    expect(await row.isVisible()).toBe(false);
    await page.evaluate(`location.hash = '#V3-SESSION-01'; location.hash = '#V3-SESSION-16'`);
    await inView();
    expect(await row.isVisible()).toBe(true);
    await row.getByRole('link', { name: 'See what was found' }).click();
    expect(page.url()).toContain('#finding-V3-SESSION-16');
    await page.context().close();
  });
});

describe('the drawings', () => {
  it('have each edge that was walked, with its number, and those that must not happen', async () => {
    const { page } = opened;
    const walked = report.walked ?? [];
    expect(walked.length).toBeGreaterThan(8);
    const drawn = await page
      .locator('.diagram .edge:not(.open)')
      .evaluateAll((edges) => edges.map((edge) => `${edge.getAttribute('data-from')} ${edge.getAttribute('data-to')}`));
    expect(drawn.toSorted()).toEqual(walked.map(({ from, to }) => `${from} ${to}`).toSorted());
    const numbers = await page.locator('.diagram .badge text').allTextContents();
    expect(numbers.toSorted()).toEqual(walked.map(({ count }) => String(count)).toSorted());
    const illegal = page.locator('.diagram .edge.illegal');
    expect(await illegal.count()).toBeGreaterThan(0);
    expect(await illegal.first().getAttribute('data-from')).toBe('stopped');
  });

  it('colour each cell of the matrices by what was found', async () => {
    const { page } = opened;
    const fields = (kind: string): ReturnType<Page['locator']> => page.locator(`.matrix .cell.${kind}`);
    const failed = report.requirements.find(({ id }) => id === 'V3-THINK-REFUSES')?.failures.map(({ cell }) => cell);
    expect(failed?.[0]).toBe('glm-5.2 medium');
    expect(failed?.slice(1).every((cell) => cell?.startsWith('glm-5.2 medium beside '))).toBe(true);
    const row = page
      .locator('.matrix')
      .first()
      .locator('tr', { hasText: failed?.[0]?.split(' ')[0] ?? '' });
    expect(await row.locator('.cell.failed').count()).toBe(1);
    expect(await fields('failed').count()).toBe(1);
    // The matrices contain the cells of the tables, but not the cells that vary the rest of a request.
    const keys = [
      ...levelCells('v2'),
      ...levelCells('v3'),
      ...refusedParamCells(),
      ...acceptedParamCells(),
      ...foreignPathCells(),
    ];
    const inTables = new Set(keys.map(({ key }) => key));
    const isDrawn = (cell: string): boolean => inTables.has(cell);
    const judged = (...ids: string[]): number =>
      report.requirements
        .filter(({ id }) => ids.includes(id))
        .flatMap(({ judgedCells = [] }) => judgedCells.filter(({ verdict }) => verdict === 'pass'))
        .filter(({ cell }) => isDrawn(cell)).length;
    expect(await fields('refused:not(.unsent)').count()).toBe(
      judged('V2-THINK-REFUSES', 'V3-THINK-REFUSES', 'V4-PARAMS-REFUSES', 'V4-PARAMS-27'),
    );
    expect(await fields('accepted:not(.unsent)').count()).toBe(
      judged('V2-THINK-ACCEPTS', 'V3-THINK-ACCEPTS', 'V4-PARAMS-ACCEPTS'),
    );
  });

  it('are left out where a run has shown nothing of them, and the page says so', async () => {
    const nothing = variant('nothing', ({ walked: _walked, ...one }) => ({ ...one, requirements: [] }));
    const { page, complaints } = await open({}, nothing);
    for (const id of ['matrices', 'life-cycles']) await unfold(page, id);
    expect(await page.locator('.matrix, .machine').count()).toBe(0);
    expect(await page.getByText('This run judged no pair').isVisible()).toBe(true);
    expect(await page.getByText('No state transitions were observed').isVisible()).toBe(true);
    expect(await page.getByText('No judged requirement is violated').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('show every operation that is offered', async () => {
    const { page } = opened;
    const names = await page.locator('table.coverage tbody th code').allTextContents();
    expect(names).toEqual(report.coverage.filter(({ offered }) => offered).map(({ operation }) => operation));
  });
});

/** Script that returns the visible texts whose contrast with their background is too low (WCAG AA). */
const lowContrasts = `(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one !== null; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if ((numbers(colour)[3] ?? 1) === 1) return colour;
    }
    throw new Error('nothing lies behind');
  };
  const ratio = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = [...document.querySelectorAll('body *:not(script)')].filter((element) =>
    !(element instanceof SVGElement) && element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
  const found = texts.filter((element) => ratio(getComputedStyle(element).color, behind(element)) < 4.5)
    .map((element) => element.tagName + '.' + element.className + ' ' + ratio(getComputedStyle(element).color, behind(element)).toFixed(2));
  return { count: texts.length, found: [...new Set(found)] };
})()`;

describe('everybody', () => {
  it.each(['desktop', 'phone'] as const)('sees the whole width on a %s, with everything opened', async (size) => {
    const { page } = await open({ viewport: sizes[size] });
    await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes[size].width);
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)('can read every text in %s', async (colorScheme) => {
    const every = ['pass', 'violation', 'warning', 'note', 'notTestable', 'notRun', 'error'] as const;
    const address = variant('verdicts', (one) => ({
      ...one,
      requirements: one.requirements.map((row, index) => ({ ...row, verdict: every[index % every.length] ?? 'pass' })),
    }));
    const { page } = await open({ colorScheme }, address);
    await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true');
    expect(await page.evaluate(lowContrasts)).toEqual({ count: expect.any(Number), found: [] });
    await page.context().close();
  });

  it('finds parts, heads and names without seeing them', async () => {
    const { page } = opened;
    for (const role of ['banner', 'navigation', 'main', 'contentinfo', 'search'] as const)
      expect([role, await page.getByRole(role).count()]).toEqual([role, 1]);
    expect(
      await page.evaluate(`({
        twice: [...document.querySelectorAll('[id]')].map((one) => one.id).filter((id, index, all) => all.indexOf(id) !== index),
        heads: [...document.querySelectorAll('th')].filter((one) => !one.hasAttribute('scope')).length,
        deadLinks: [...document.querySelectorAll('a[href^="#"]')].filter((one) => document.getElementById(one.hash.slice(1)) === null).length,
        nameless: [...document.querySelectorAll('button, input, select, summary')].filter((one) =>
          (one.getAttribute('aria-label') ?? one.closest('label')?.textContent ?? one.textContent).trim() === '').length,
        drawings: [...document.querySelectorAll('svg')].filter((one) => one.ariaHidden !== 'true' && !one.ariaLabel).length,
        levels: [...document.querySelectorAll('h1, h2, h3, h4')].map((one) => Number(one.tagName[1]))
          .filter((level, index, all) => index > 0 && level > all[index - 1] + 1).length,
      })`),
    ).toEqual({ twice: [], heads: 0, deadLinks: 0, nameless: 0, drawings: 0, levels: 0 });
  });

  it('comes through with the keyboard, and sees where', async () => {
    const { page } = await open();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the findings');
    await page.locator('#requirements summary').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'violation' }).focus();
    await page.keyboard.press('Space');
    expect(await shownRows(page)).toEqual(withVerdict('violation'));
    const outline = await page.evaluate('getComputedStyle(document.activeElement.nextElementSibling).outlineStyle');
    expect(outline).toBe('solid');
    await page.context().close();
  });

  it('reads it all without a script', async () => {
    const { page } = await open({ javaScriptEnabled: false });
    for (const part of ['#requirements > details > summary', '.by-requirement > summary'])
      await page.locator(part).click();
    expect(await page.getByRole('search').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Copy the curl line' }).first().isVisible()).toBe(false);
    expect(await page.locator('table.requirements tbody tr:visible').count()).toBe(report.requirements.length);
    expect(await page.locator('.finding').first().isVisible()).toBe(true);
    await page.context().close();
  });

  it('prints it in light, without what paper cannot do', async () => {
    const { page } = await open({ colorScheme: 'dark' }, variant('printed', ofFindings));
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    for (const name of ['nav', 'form.filters', 'button.copy'])
      expect([name, await page.locator(name).first().isVisible()]).toEqual([name, false]);
    await expect
      .poll(() =>
        page
          .locator('.finding h3')
          .first()
          .evaluate((one) => one.getBoundingClientRect().height),
      )
      .toBeGreaterThan(0);
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
    await page.context().close();
  });
});

describe('the file', () => {
  it('is the same for the same report, and names no host but the target', () => {
    const text = readFileSync(file, 'utf8');
    expect(renderHtml(report)).toBe(text);
    const hosts = new Set([...text.matchAll(/https?:\/\/([^/"'\s<&\\:]+)/g)].map(([, host]) => host));
    expect([...hosts].filter((host) => !['127.0.0.1', 'example.com'].includes(host ?? ''))).toEqual([]);
  });
});

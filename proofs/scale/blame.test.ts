import { expect, it } from 'vitest';
import type { Exchange } from '#conformance/core/exchange.ts';
import { defaultTarget } from '#conformance/core/default-target.ts';
import type { ReportRow } from '#conformance/core/report.ts';
import { type SplitFindings, splitFindings } from './blame.ts';

const url = 'http://127.0.0.1:1';
const dead = '11111111-1111-4111-8111-111111111111';

function exchange(changes: Partial<Exchange> & Pick<Exchange, 'sentBy'>): Exchange {
  const request = { method: 'GET', url: `${url}/api/v3/sessions/other`, headers: {} };
  const empty = {
    generation: 'v3',
    operation: 'getSession',
    atMs: 0,
    durationMs: 1,
    headers: {},
    json: undefined,
  } as const;
  return { index: 0, ...empty, request, status: 200, body: '', ...changes };
}

function row(changes: Partial<ReportRow>): ReportRow {
  const words = { area: 'a', level: 'MUST', text: 't', source: 's', profile: 'documented' } as const;
  return {
    id: 'LIFE-08',
    ...words,
    verdict: 'violation',
    cells: { total: 1, judged: 1, failed: 1 },
    failures: [],
    ...changes,
  };
}

const failing = (at?: number): Partial<ReportRow> => ({
  failures: [{ message: 'wrong', replay: 'r', ...(at === undefined ? {} : { exchange: at }) }],
});

function blamed(exchanges: Exchange[], rows: ReportRow[], isSimulated = false): SplitFindings {
  const happenings = exchanges.map((one) => ({ kind: 'exchange' as const, exchange: one }));
  const recording = { happenings, target: { ...defaultTarget, url } };
  return splitFindings({ report: { requirements: rows, exchanges, left: [] }, recording, lost: [dead], isSimulated });
}

const lost = exchange({ sentBy: 'crashed-session', body: `{"id":"${dead.toUpperCase()}"}` });
const other = exchange({ sentBy: 'crashed-session' });
const elsewhere = exchange({ sentBy: 'observed-session' });

it.each<{ name: string; exchanges: Exchange[]; found: ReportRow; by: string | null }>([
  { name: 'names what died', exchanges: [lost], found: row(failing(0)), by: 'itself' },
  { name: 'comes of a scenario that lost something', exchanges: [other, lost], found: row(failing(0)), by: 'scenario' },
  { name: 'comes of another scenario', exchanges: [elsewhere, lost], found: row(failing(0)), by: null },
  { name: 'has no exchange, and its row needs what died', exchanges: [lost], found: row(failing()), by: 'scenario' },
  {
    name: 'has no exchange, and its row needs nothing of it',
    exchanges: [lost],
    found: row({ ...failing(), id: 'ERR-02' }),
    by: null,
  },
  {
    name: 'is an error of a row that needs nothing of it',
    exchanges: [lost],
    found: row({ id: 'ERR-02', verdict: 'error', reason: 'x' }),
    by: null,
  },
])('a finding that $name: excused by $by', ({ exchanges, found, by }) => {
  const { excused, faults } = blamed(exchanges, [found]);
  expect([excused.map((one) => one.by), faults.length]).toEqual(by === null ? [[], 1] : [[by], 0]);
});

it('an answer of 500, or none, is a fault whatever died, and only on the service itself', () => {
  const away = { method: 'GET', url: 'http://127.0.0.1:2/live/x', headers: {} };
  const answers = [
    exchange({ sentBy: 'a', status: 503, body: dead }),
    exchange({ sentBy: 'a', status: 0, fault: 'time-out' }),
    exchange({ sentBy: 'a', status: 0, request: away }),
  ];
  expect(blamed(answers, []).faults).toHaveLength(2);
});

it('what simulated browsers cannot do is excused there alone', () => {
  const found = row({ failures: [{ message: 'Page.x is not simulated', replay: 'r' }] });
  expect([blamed([], [found], true).faults.length, blamed([], [found]).faults.length]).toEqual([0, 1]);
});

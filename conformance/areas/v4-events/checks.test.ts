import { expect, it } from 'vitest';
import type { CheckContext } from '../../core/check.ts';
import { Blocked, NotTestable } from '../../core/outcome.ts';
import { defaultTarget } from '../../core/default-target.ts';
import type { JsonValue } from '../../core/json.ts';
import type { EventRead } from '../../common/event-reads.ts';
import { runEventChecks } from './checks.ts';

/** The answer of a read. */
interface Answer {
  readonly status?: number;
  readonly json?: JsonValue;
}

/** Creates a read of a run's events that returned `count` events. */
function read(count: number, more: Partial<Pick<EventRead, 'served' | 'isCut'>> & Answer = {}): EventRead {
  const { status = 200, json, served = true, isCut = false } = more;
  const events = Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the checks read only these members of a response
  const exchange = { status, json, request: { url: '' } } as unknown as EventRead['exchange'];
  return { exchange, from: 'start', events, served, isCut };
}

/** Returns the verdict of a check on the reads of one run: passed, failed, not testable or blocked. */
async function judgeReads(id: string, reads: readonly EventRead[]): Promise<boolean | 'not testable' | 'blocked'> {
  const judged: boolean[] = [];
  const context = {
    target: { ...defaultTarget, v4: { ...defaultTarget.v4, cancelRun: null } },
    recording: async () => ({ events: reads, looks: [] }),
    jobs: { run: { request: () => undefined } },
    recorder: { all: () => [] },
    expect: (holds: boolean) => void judged.push(holds),
    notTestable: (reason: string) => {
      throw new NotTestable(reason);
    },
    blocked: (reason: string) => {
      throw new Blocked(reason);
    },
  };
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the checks use only these members of a context
    await runEventChecks.find((check) => check.id === id)?.judge(context as unknown as CheckContext);
  } catch (error) {
    if (error instanceof Blocked) return 'blocked';
    if (error instanceof NotTestable) return 'not testable';
    throw error;
  }
  expect(judged).not.toEqual([]);
  return judged.every(Boolean);
}

const refused = { status: 404, served: false };

it.each([
  ['all of which are served', [read(1), read(3)], true],
  ['one of which is refused', [read(1), read(1, refused)], false],
  ['that are refused behind their first page, every one of them', [read(2, refused), read(2, refused)], false],
  ['that are refused where nothing was ever shown: they may stand elsewhere', [read(0, refused)], 'not testable'],
  ['that are refused with 422, every one of them', [read(0, { status: 422, served: false })], false],
  ['that are refused with 403, every one of them', [read(0, { status: 403, served: false })], 'blocked'],
  ['that have no list', [read(0, { json: {}, served: false })], false],
  ['whose list stands elsewhere', [read(0, { json: { data: { events: [] } }, served: false })], 'blocked'],
] as const)('EVT-01 judges reads %s', async (_name, reads, verdict) => {
  expect(await judgeReads('EVT-01', reads)).toBe(verdict);
});

it.each([
  ['that grow', [read(1), read(3), read(3)], true],
  ['the last of which shows less', [read(3), read(2)], false],
  ['one of which was cut after its last page', [read(3), read(2, { isCut: true }), read(4)], true],
] as const)('EVT-03 judges reads %s', async (_name, reads, verdict) => {
  expect(await judgeReads('EVT-03', reads)).toBe(verdict);
});

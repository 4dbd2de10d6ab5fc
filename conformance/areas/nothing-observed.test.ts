import { describe, expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';
import type { Transport } from '../core/transport.ts';
import { createAnswer, judgeRequirement, type JudgedInput, unservedTarget } from '../testing/judge-requirement.ts';
import { getListOperation, type PagedList } from './pages/scenarios.ts';
import type { ChangedList } from './pages/scenarios-storage.ts';

function answering(status: number): Transport {
  return () => Promise.resolve({ status, headers: {}, body: '{}' });
}

async function verdictOf(id: string, input: JudgedInput): Promise<string> {
  return (await judgeRequirement(id, input)).verdict;
}

const list = getListOperation('v2.listProfiles');

function page(ids: readonly string[]): Exchange {
  return createAnswer(200, { items: ids.map((id) => ({ id })), totalItems: ids.length }, 'listProfiles');
}

function paged(ids: readonly string[], small: readonly (readonly string[])[]): PagedList {
  const whole = [page(ids)];
  return { list, whole, later: whole, isWhole: true, size: 1, small: small.map(page), strange: [] };
}

function unchanged(change: ChangedList['change'], ids: readonly string[], pages: readonly Exchange[]): ChangedList {
  return { change, list, before: ids, after: ids, pages: [...pages] };
}

describe('a check that sees nothing of its requirement', () => {
  it.each([
    ['V4-RUN-02', 402],
    ['INTERFACE-11', 402],
    ['INTERFACE-12', 402],
    ['V3-GET-06', 500],
    ['V3-GET-06', 0],
  ])('does not pass: %s with an account whose requests all get %i', async (id, status) => {
    expect(await verdictOf(id, { transport: answering(status) })).toBe('notTestable');
  });

  it.each(['PAGES-01', 'PAGES-02'])('does not pass: %s with an empty list', async (id) => {
    expect(await verdictOf(id, { recorded: { lists: [paged([], [[]])] } })).toBe('notTestable');
  });

  it.each(['PAGES-11', 'PAGES-12'])('does not pass: %s with an empty list', async (id) => {
    expect(await verdictOf(id, { recorded: [paged([], [[]])] })).toBe('notTestable');
  });

  it('does not pass: PAGES-02 with a list of one item, which has no order', async () => {
    expect(await verdictOf('PAGES-02', { recorded: { lists: [paged(['a'], [['a'], []])] } })).toBe('notTestable');
  });

  it.each([
    ['PAGES-08', 'insert'],
    ['PAGES-09', 'delete'],
  ] as const)('does not pass: %s with no file before the change', async (id, change) => {
    const recorded = { changed: [unchanged(change, [], [createAnswer(200)])] };
    expect(await verdictOf(id, { recorded })).toBe('notTestable');
  });

  it('does not pass: PAGES-07 with no answer', async () => {
    const recorded = { exchanged: [{ exchange: createAnswer(0), foreign: ['a'] }] };
    expect(await verdictOf('PAGES-07', { recorded })).toBe('notTestable');
  });

  it('does not pass: PROFILE-08 with a profile that no generation shows', async () => {
    const fetched = createAnswer(503, { detail: 'busy' });
    expect(await verdictOf('PROFILE-08', { recorded: [{ fetched, elsewhere: [fetched] }] })).toBe('notTestable');
  });

  it('does not pass: RECORDING-03 with a browser whose records are all refused', async () => {
    const refused = createAnswer(503);
    const plain = { created: refused, active: refused, stopped: refused, after: refused };
    expect(await verdictOf('RECORDING-03', { recorded: { plain } })).toBe('notTestable');
  });

  it('does not pass: V3-STOP-02 with a session that was stopped before its stop', async () => {
    const seen = { exchange: createAnswer(200), record: { status: 'stopped' } };
    const recorded = { stopped: { before: seen, exchange: createAnswer(200), after: [seen] } };
    expect(await verdictOf('V3-STOP-02', { recorded })).toBe('notTestable');
  });

  it('does not pass: V4-PARAMS-36 with a later run that is refused for another reason', async () => {
    const follower = { created: createAnswer(409), model: 'claude-sonnet-4.6' };
    expect(await verdictOf('V4-PARAMS-36', { recorded: { interrupted: () => ({ follower }) } })).toBe('notTestable');
  });

  it('does not pass: V4-PARAMS-34 with a later run that is refused, although the same without parameters is accepted', async () => {
    const later = { created: createAnswer(503), bare: createAnswer(201) };
    expect(await verdictOf('V4-PARAMS-34', { recorded: { later } })).toBe('notTestable');
  });

  it('does not pass: V4-BROWSER-19 with a browser that no client could use before its stop', async () => {
    const stopped = { exchange: createAnswer(200), works: false, driven: undefined };
    expect(await verdictOf('V4-BROWSER-19', { recorded: { stops: [], stopped } })).toBe('notTestable');
  });

  it('does not pass: V2-VIEW-20 with a task whose answer names no session, and sends nothing', async () => {
    const sent: string[] = [];
    const transport: Transport = ({ url }) => {
      sent.push(url);
      return Promise.resolve({ status: 404, headers: {}, body: '{}' });
    };
    const recorded = { dispatched: createAnswer(202, { id: 'a' }) };
    expect(await verdictOf('V2-VIEW-20', { recorded, transport })).toBe('notTestable');
    expect(sent).toEqual([]);
  });

  it.each(['EVT-10', 'EVT-16'])('does not pass: %s with events that cannot be read', async (id) => {
    const failed = createAnswer(503, {}, 'listRunEvents');
    const events = { runId: 'a', all: failed, single: [failed], behindSecond: failed, atAddress: undefined };
    const recorded = { id: 'a', later: undefined, views: () => ({ events }) };
    expect(await verdictOf(id, { recorded })).toBe('notTestable');
  });

  it('does not pass: ACCOUNT-02 with an account that a generation cannot show', async () => {
    const transport: Transport = ({ url }) =>
      Promise.resolve({ status: url.includes('/v2/') ? 503 : 200, headers: {}, body: '{"projectId":"one"}' });
    expect(await verdictOf('ACCOUNT-02', { transport })).toBe('notTestable');
  });
});

describe('a check that sees a violation in one part of what it needs', () => {
  it('reports it: V4-BROWSER-25 with a connection that was cut, and no record with a status', async () => {
    const stops = [{ created: createAnswer(201), isNeighborCut: true }];
    const recorded = { keyless: undefined, attempts: [], stops };
    expect(await verdictOf('V4-BROWSER-25', { recorded })).toBe('violation');
  });

  it('reports it: BROWSER-VIEW-12 with a filtered list that is refused', async () => {
    const found = (items: readonly string[]): JsonObject => ({
      items: items.map((id) => ({ id })),
      totalItems: items.length,
    });
    const byLabels = { both: createAnswer(200, found(['one'])), foreign: createAnswer(500) };
    const recorded = { labelled: { id: 'one' }, plain: { id: 'two' }, byLabels };
    expect(await verdictOf('BROWSER-VIEW-12', { recorded })).toBe('violation');
  });

  it('reports it: V4-PARAMS-34 with empty parameters that get 400', async () => {
    const later = { created: createAnswer(400), bare: createAnswer(201) };
    expect(await verdictOf('V4-PARAMS-34', { recorded: { later } })).toBe('violation');
  });

  it('reports it: FILE-06 with an altered download address that opens, and no address for an upload', async () => {
    const altered = [{ of: 'download', exchange: createAnswer(200) }];
    expect(await verdictOf('FILE-06', { recorded: [{ generation: 'v3', altered }] })).toBe('violation');
  });

  it('reports it once: VER-02 with a description that is not served', async () => {
    const on = { ...unservedTarget, v3: { ...unservedTarget.v3!, description: '/openapi/v3.json' } };
    const { findings } = await judgeRequirement('VER-02', { on, transport: answering(404) });
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('expected an OpenAPI document')]);
  });

  it('reports it with the page that shows it: BROWSER-VIEW-09 with a row of the list of stopped browsers', async () => {
    const row = (recordingUrl: string | null): Exchange =>
      createAnswer(200, { items: [{ id: 'a', agentSessionId: null, recordingUrl }] }, 'listBrowsers');
    const [active, stopped] = [row(null), row('https://files.example/a.mp4')];
    const lists = { whileActive: { active: [active] }, whileStopped: { stopped: [stopped] } };
    const browser = { id: 'a', active: createAnswer(200), ...lists };
    const { findings } = await judgeRequirement('BROWSER-VIEW-09', { recorded: { labelled: browser, plain: browser } });
    expect(new Set(findings.map(({ exchange }) => exchange))).toEqual(new Set([stopped]));
  });
});

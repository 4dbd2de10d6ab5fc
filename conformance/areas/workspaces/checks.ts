import { check, type Check, type CheckContext } from '../../core/check.ts';
import { isJsonObject, memberAt, toText, isSame, type JsonValue, sameSet } from '../../core/json.ts';
import { type WorkspaceLife, workspaceLives } from './scenarios.ts';
import { listItems } from '../../common/followed-pages.ts';
import { answered, carries, lists, valuesIn, refusesAlterations } from '../../common/judgement.ts';
import { saysNothing } from '../../common/refusals.ts';
import { show } from '../../core/text.ts';
import { describeAnswer, type Exchange, refused, succeeded } from '../../core/exchange.ts';
import { byteLength } from '../../common/workspace-files.ts';
import { type FileLife, fileLives } from './scenarios-files.ts';
import { withoutEnds } from '../../core/trim-end.ts';
import type { Scenario } from '../../core/scenario.ts';
import { foreignProfile, type ForeignStorage, foreignWorkspace } from './scenarios-foreign.ts';

/** Checks of workspaces of V3 and V4. */
export const workspaceChecks: readonly Check[] = [
  each('WORKSPACE-01', (t, { generation, bare }) => {
    answered(t, bare, generation === 'v3' ? 201 : 200);
    carries(t, bare, ['name', null]);
  }),
  each('WORKSPACE-02', (t, { named, fetched, name }) => {
    carries(t, named, ['name', name]);
    carries(t, fetched, ['name', name]);
    carries(t, fetched, ['id', memberAt(named.json, 'id')]);
  }),
  each('WORKSPACE-03', (t, { renamed, unchanged, cleared, name }) => {
    carries(t, renamed, ['name', `${name} new`]);
    carries(t, unchanged, ['name', `${name} new`]);
    carries(t, cleared, ['name', null]);
  }),
  each('WORKSPACE-04', (t, { generation, longest, tooLong }) => {
    answered(t, longest, generation === 'v3' ? 201 : 200);
    for (const exchange of tooLong) answered(t, exchange, 422);
  }),
  each('WORKSPACE-05', (t, { generation, named, fetched, gone }) => {
    if (generation === 'v3') return;
    carries(t, named, ['archived', false]);
    carries(t, fetched, ['archived', false]);
    if (gone.status !== 404) carries(t, gone, ['archived', true]);
  }),
  each('WORKSPACE-06', (t, { generation, deletion, again, ofUnknown, gone }) => {
    answered(t, deletion, 204);
    if (generation === 'v3') {
      answered(t, gone, 404);
      return;
    }
    answered(t, again, 204);
    answered(t, ofUnknown, 204);
  }),
  each('WORKSPACE-07', (t, { elsewhere, fetched }) => {
    for (const exchange of elsewhere) {
      for (const member of ['id', 'name', 'createdAt']) carries(t, exchange, [member, memberAt(fetched.json, member)]);
    }
  }),
  each('WORKSPACE-08', (t, { generation, size }) => {
    carries(t, size, ['usedBytes', 0]);
    const most = memberAt(size.json, 'maxBytes');
    const message = `${generation} says maxBytes ${show(most)}; expected a whole number above 0`;
    t.expect(Number.isInteger(most) && Number(most) > 0, { cell: generation, exchange: size, message });
  }),
  each('WORKSPACE-09', (t, { unknown }) => {
    for (const exchange of unknown) answered(t, exchange, 404);
  }),
  each('WORKSPACE-10', (t, { lists: shown }) => {
    if (shown === undefined) return;
    const [first, second, both] = shown;
    const found = [first, second].flatMap((page) => valuesIn(page, 'items.id'));
    const expected = valuesIn(both, 'items.id');
    const message = `two pages of one hold ${show(found)}; expected the two of one page, ${show(expected)}`;
    t.expect(expected.length === 2 && sameSet(found, expected), { cell: 'v3', exchange: second, message });
    carries(t, second, ['pageNumber', 2]);
    carries(t, second, ['pageSize', 1]);
  }),
];

function each(id: Check['id'], judge: (t: CheckContext, life: WorkspaceLife) => void): Check {
  return check(id, { needs: [workspaceLives] }, async (t) => {
    for (const life of await t.recording(workspaceLives)) judge(t, life);
  });
}

/** Checks of files of workspaces in V3 and V4. */
export const workspaceFileChecks: readonly Check[] = [
  eachFile('FILE-01', (t, { stored: { reserved, samples } }) => {
    const found = valuesIn(reserved, 'files.name');
    const names = samples.map(({ name }) => name);
    const message = `the answer names ${show(found)}; expected ${show(names)} in this order`;
    t.expect(isSame(found, names), {
      cell: reserved.generation,
      exchange: reserved,
      message,
    });
  }),
  eachFile('FILE-02', (t, { generation, stored: { samples, paths, sent }, plain }) => {
    for (const exchange of sent) tells(t, succeeded(exchange), { generation, exchange, expected: 'a success' });
    const found = listItems(plain, 'files').map(({ path = '', size = 0 }) => [path, size]);
    const expected = paths.map((path, index) => [path, byteLength(samples[index]?.text ?? '')]);
    const message = `the list holds ${show(found)}; expected ${show(expected)}`;
    t.expect(expected.length > 0 && sameSet(found, expected), { cell: generation, exchange: plain, message });
  }),
  eachFile('FILE-03', (t, { generation, mismatched, afterMismatch }) => {
    const kept = valuesIn(afterMismatch, 'files.path');
    for (const { what, path, exchange } of mismatched) {
      const expected = `a refusal of ${what} than was declared, and nothing kept`;
      tells(t, exchange.status >= 400 && !kept.includes(path), { generation, exchange, expected });
    }
  }),
  eachFile('FILE-04', (t, { generation, plain, withUrls }) => {
    const bare = valuesIn(plain, 'files.url');
    const message = `the list without includeUrls shows ${show(bare)}; expected no address`;
    t.expect(succeeded(plain) && bare.every((url) => url === null), { cell: generation, exchange: plain, message });
    const urls = valuesIn(withUrls, 'files.url');
    const missing = `the list with includeUrls shows ${show(urls)}; expected an address for each file`;
    const isAddress = (url: unknown): boolean => typeof url === 'string' && URL.canParse(url);
    t.expect(urls.length > 0 && urls.every(isAddress), { cell: generation, exchange: withUrls, message: missing });
  }),
  eachFile('FILE-05', (t, { generation, downloads }) => {
    for (const { path, text, exchange } of downloads) {
      const expected = `the bytes of ${path} without a key`;
      tells(t, succeeded(exchange) && exchange.body === text, { generation, exchange, expected });
    }
  }),
  eachFile('FILE-06', (t, { generation, altered }) => {
    for (const kind of ['upload', 'download'] as const) {
      const what = `the ${generation} ${kind} address`;
      refusesAlterations(t, { altered: altered.filter(({ of }) => of === kind), what, cell: generation });
    }
  }),
  eachFile('FILE-07', (t, { generation, exact: { path, exchange } }) => {
    const found = valuesIn(exchange, 'files.path');
    const message = `the first page for the prefix ${path} holds ${show(found)}; expected the file of that path on it`;
    t.expect(succeeded(exchange) && found.includes(path), { cell: generation, exchange, message });
  }),
  eachFile('FILE-08', (t, { stored: { paths }, prefixed, inner }) => {
    for (const { prefix, exchange } of [prefixed, inner])
      lists(t, exchange, ['files.path', paths.filter((path) => path.startsWith(prefix))]);
  }),
  eachFile('FILE-09', (t, { generation, stored: { paths }, pages }) => {
    const found = pages.flatMap((page) => valuesIn(page, 'files.path'));
    const exchange = pages.at(-1);
    const message = `pages of two hold ${show(found)}; expected ${show(paths)}, each once`;
    t.expect(sameSet(found, paths), { cell: generation, exchange, message });
    for (const [index, page] of pages.entries()) carries(t, page, ['hasMore', index < pages.length - 1]);
  }),
  eachFile('FILE-10', (t, { overriding }) => {
    if (overriding === undefined) return;
    const { forbidden, after, allowed, downloaded } = overriding;
    answered(t, forbidden, 409);
    const kept = valuesIn(after, 'files.path');
    const none = `after a refused upload the list holds ${show(kept)}; expected none of its new files`;
    t.expect(!kept.some((path) => typeof path === 'string' && path.endsWith('fresh.txt')), {
      cell: 'v4',
      exchange: after,
      message: none,
    });
    const [will] = valuesIn(allowed.reserved, 'files.willOverride');
    const told = `willOverride is ${show(will)} for a path that is taken; expected true`;
    t.expect(will === true, { cell: 'v4', exchange: allowed.reserved, message: told });
    const expected = 'the bytes that were written last';
    tells(t, downloaded.body === allowed.samples[0]?.text, { generation: 'v4', exchange: downloaded, expected });
  }),
  eachFile('FILE-11', (t, { generation, stored: { paths }, removal: { path, exchange, list } }) => {
    answered(t, exchange, 204);
    const found = valuesIn(list, 'files.path');
    const message = `after its removal the list holds ${show(found)}; expected it without ${path} and with every other file`;
    const isKept = paths.every((one) => one === path || found.includes(one));
    t.expect(succeeded(list) && isKept && !found.includes(path), {
      cell: generation,
      exchange: list,
      message,
    });
  }),
  eachFile('FILE-12', (t, { generation, refused: probes }) => {
    for (const { what, exchange } of probes) {
      tells(t, exchange.status === 422, { generation, exchange, expected: `422 for ${what}` });
    }
  }),
  eachFile('FILE-13', (t, { strangeCursor }) => {
    if (strangeCursor !== undefined) answered(t, strangeCursor, 400);
  }),
  eachFile('FILE-14', (t, { shallow }) => {
    if (shallow === undefined) return;
    const { folder, exchange } = shallow;
    const folders = memberAt(exchange.json, 'folders');
    const names = Array.isArray(folders) ? folders.map((name) => withoutEnds(toText(name), /\//)) : [];
    const message = `the top shows the folders ${show(folders)}; expected ${folder} alone`;
    t.expect(succeeded(exchange) && sameSet(names, [folder]), { cell: 'v3', exchange, message });
    carries(t, exchange, ['files', []]);
  }),
  eachFile('FILE-16', (t, { generation, downloads }) => {
    if (generation !== 'v4') return;
    for (const { exchange } of downloads) {
      const found = show(exchange.headers['content-disposition']);
      const message = `a download answers with content-disposition ${found}; expected attachment`;
      t.expect(isAttachment(exchange), { cell: generation, exchange, message });
    }
  }),
  eachFile('FILE-15', (t, { stored: { samples }, size, removal }) => {
    const used = samples.reduce((sum, { text }) => sum + byteLength(text), 0);
    carries(t, size, ['usedBytes', used]);
    carries(t, removal.size, ['usedBytes', used - removal.bytes]);
  }),
];

function isAttachment({ headers }: Exchange): boolean {
  return /^attachment\b/i.test(headers['content-disposition'] ?? '');
}

function eachFile(id: Check['id'], judge: (t: CheckContext, life: FileLife) => void): Check {
  return check(id, { needs: [fileLives] }, async (t) => {
    for (const life of await t.recording(fileLives)) judge(t, life);
  });
}

interface Told {
  generation: FileLife['generation'];
  exchange: Exchange;
  expected: string;
}

/** Judges that a condition holds for a response. The message includes the body if it is a JSON object. */
function tells(t: CheckContext, holds: boolean, { generation, exchange, expected }: Told): void {
  const detail = isJsonObject(exchange.json) ? ` (${show(exchange.json)})` : '';
  const message = `${generation} ${exchange.operation} ${describeAnswer(exchange)}${detail}; expected ${expected}`;
  t.expect(holds, { cell: generation, exchange, message });
}

/** Checks that profiles and workspaces belong to one project. */
export const foreignStorageChecks: readonly Check[] = [
  check('PROFILE-10', { needs: [foreignProfile] }, (t) => apart(t, foreignProfile)),
  check('WORKSPACE-11', { needs: [foreignWorkspace] }, (t) => apart(t, foreignWorkspace)),
];

/** Returns a record without the times of its last change and use, which the owner's own reads may advance. */
function lasting(record: JsonValue | undefined): JsonValue | undefined {
  if (!isJsonObject(record)) return record;
  const { updatedAt: _updated, lastUsedAt: _used, ...rest } = record;
  return rest;
}

/**
 * Judges that another project neither reaches nor changes a resource. The response to a deletion is not judged; only
 * the owner's fetch afterwards shows the effect.
 */
async function apart(t: CheckContext, scenario: Scenario<ForeignStorage>): Promise<void> {
  const { id, before, attempts, after } = await t.recording(scenario);
  if (!succeeded(before)) t.notTestable(`the owner's own look ${describeAnswer(before)}`);
  for (const { does, exchange } of attempts) {
    if (does === 'delete' || saysNothing(exchange)) continue;
    const listed = does === 'list' && !valuesIn(exchange, 'items.id').includes(id);
    const { generation, operation } = exchange;
    const message = `${generation} ${operation} with the key of another project ${describeAnswer(exchange)} and shows or changes what is ours; expected a refusal, or a list without it (if both keys are of one project, give another --other-api-key)`;
    t.expect(refused(exchange) || listed, { cell: `${generation} ${operation}`, exchange, message });
  }
  const message = `its owner finds ${show(after.json)} after the attempts; expected ${show(before.json)}`;
  const unharmed = after.status === before.status && isSame(lasting(after.json), lasting(before.json));
  t.expect(unharmed, { cell: 'afterwards', exchange: after, message });
}

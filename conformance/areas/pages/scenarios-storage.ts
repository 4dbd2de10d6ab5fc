import type { Exchange } from '../../core/exchange.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { uniqueText } from '../../core/text.ts';
import { readNextCursor } from '../../common/followed-pages.ts';
import { idsOn, getListOperation, type PagedList, readPaged, readPages } from './scenarios.ts';
import { type SampleFile, type WorkspaceFiles, createWorkspaceFiles } from '../../common/workspace-files.ts';

/** Lists of stored resources. */
export interface PagedStorage {
  lists: PagedList[];
  /** Lists of files that changed while they were read. */
  changed: ChangedList[];
  /** Answers of one file list to the cursor of another list, and the paths of the list that issued the cursor. */
  exchanged: { exchange: Exchange; foreign: readonly string[] }[];
}

/** A list of files that was changed between the reads of its pages. */
export interface ChangedList {
  change: 'insert' | 'delete';
  list: PagedList['list'];
  /** Paths of the listed files before the pages were read; `after` holds these paths after the last page was read. */
  before: readonly string[];
  after: readonly string[];
  pages: Exchange[];
}

/**
 * Lists that the pagination checks cover: numbered lists, isolated by a search filter if they have one, and file lists
 * with a cursor.
 */
export const storedKeys: readonly OperationKey[] = [
  'v2.listProfiles',
  'v3.listProfiles',
  'v4.listProfiles',
  'v3.listWorkspaces',
  'v3.listWorkspaceFiles',
  'v4.listWorkspaceFiles',
];

/** Creates profiles, workspaces and files. Records their lists page by page. */
export const pagedStorage: Scenario<PagedStorage> = {
  name: 'paged-storage',
  creates: 'seven profiles, three workspaces and nine small files, which are deleted again',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => notOffered(target, []),
  run: (context) => readStorage(context),
};

/** Numbers of profiles and of files that the scenario creates, odd so that the last page is not full. */
const [profiles, files] = [7, 7];

async function readStorage(context: ScenarioContext): Promise<PagedStorage> {
  const word = uniqueText(context, 'pages');
  const workspaces = await makeResources(context, word);
  const result: PagedStorage = { lists: [], changed: [], exchanged: [] };
  for (const key of storedKeys) {
    if (!context.operations.offers(key)) continue;
    const list = getListOperation(key);
    if (!key.endsWith('Files')) {
      const filter = key.endsWith('Profiles') ? { query: word } : {};
      result.lists.push(await readPaged(context, { list, filter }));
    } else if (workspaces !== undefined) {
      result.lists.push(await readPaged(context, { list, path: [workspaces.full.id] }));
      result.exchanged.push(...(await exchangeCursors(context, key, workspaces)));
      for (const change of ['insert', 'delete'] as const) {
        result.changed.push(await readWhile(context, { change, workspaceFiles: workspaces.full, key }));
      }
    }
  }
  return result;
}

interface PagedWorkspaces {
  full: WorkspaceFiles;
  other: WorkspaceFiles;
}

async function makeResources(context: ScenarioContext, word: string): Promise<PagedWorkspaces | undefined> {
  const { operations } = context;
  const profileKey = (['v3.createProfile', 'v4.createProfile', 'v2.createProfile'] as const).find((key) =>
    operations.offers(key),
  );
  const names = profileKey === undefined ? [] : Array.from({ length: profiles }, (_, index) => `${word} ${index}`);
  for (const name of names) await operations.create('profile', profileKey ?? 'v3.createProfile', { body: { name } });
  const generation = (['v4', 'v3'] as const).find(
    (name) => operations.offers(`${name}.createWorkspace`) && operations.offers(`${name}.uploadWorkspaceFiles`),
  );
  if (generation === undefined) return undefined;
  const [full, other] = [
    await createWorkspaceFiles(context, generation),
    await createWorkspaceFiles(context, generation),
  ];
  await operations.create('workspace', `${generation}.createWorkspace`, { body: {} });
  if (full === undefined || other === undefined) return undefined;
  await full.store(Array.from({ length: files }, (_, index) => sampleFor(`file-${index}`)));
  await other.store([sampleFor('other-1'), sampleFor('other-2')]);
  return { full, other };
}

function sampleFor(name: string): SampleFile {
  return { name: `${name}.txt`, text: name, contentType: 'text/plain' };
}

async function exchangeCursors(
  context: ScenarioContext,
  key: OperationKey,
  { full, other }: PagedWorkspaces,
): Promise<PagedStorage['exchanged']> {
  const list = getListOperation(key);
  const [first] = await readPages(context, { list, path: [other.id] }, { size: 1, most: 0 });
  const cursor = first === undefined ? undefined : readNextCursor(first);
  if (cursor === undefined) return [];
  const foreign = idsOn(list, await readPages(context, { list, path: [other.id] }, { size: 100, most: 1 }));
  const exchange = await context.operations.call(key, { path: [full.id], query: { cursor } });
  return [{ exchange, foreign }];
}

interface Changing {
  change: 'insert' | 'delete';
  workspaceFiles: WorkspaceFiles;
  key: OperationKey;
}

/**
 * Reads a list of files in pages of two items. After the first page, stores a file at each end of the list, or deletes
 * a file that the first page showed.
 */
async function readWhile(context: ScenarioContext, { change, workspaceFiles, key }: Changing): Promise<ChangedList> {
  const list = getListOperation(key);
  const place = { list, path: [workspaceFiles.id] };
  const all = async (): Promise<string[]> => idsOn(list, await readPages(context, place, { size: 100, most: 1 }));
  const before = await all();
  const read = (cursor?: string): Promise<Exchange> =>
    context.operations.call(key, {
      path: place.path,
      query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) },
    });
  const first = await read();
  if (change === 'insert') await workspaceFiles.store([sampleFor(`a-${key}`), sampleFor(`zz-${key}`)]);
  else
    await context.operations.call(removal(key), {
      path: [workspaceFiles.id],
      query: { path: idsOn(list, [first])[0] ?? '' },
    });
  const pages = [first];
  for (let cursor = readNextCursor(first); cursor !== undefined && pages.length <= before.length; ) {
    const page = await read(cursor);
    pages.push(page);
    cursor = readNextCursor(page);
  }
  return { change, list, before, after: await all(), pages };
}

function removal(key: OperationKey): OperationKey {
  return key.startsWith('v3') ? 'v3.deleteWorkspaceFile' : 'v4.deleteWorkspaceFile';
}

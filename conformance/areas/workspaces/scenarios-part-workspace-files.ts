import type { Exchange } from '../../core/exchange.ts';
import { memberAt, textOf } from '../../core/json.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target/target.ts';
import { textOfLength } from '../../core/text.ts';
import {
  type Mismatches,
  type Openings,
  addressIn,
  download,
  mismatch,
  open,
} from './scenarios-part-file-addresses.ts';
import { type Paper, type Shelf, type Stored, byteLength, createShelf } from './stored-files.ts';
import { type DeskGeneration, deskGenerations } from './scenarios.ts';

/** What happened to the files of one workspace. */
export interface FileLife extends Mismatches, Openings {
  generation: DeskGeneration;
  stored: Stored;
  /** The list as it is. */
  plain: Exchange;
  /** One file whose path begins those of others, asked for alone on a page of one. */
  exact: { path: string; exchange: Exchange };
  prefixed: { prefix: string; exchange: Exchange };
  /** Pages of two, to the end or to a bound. */
  pages: Exchange[];
  size: Exchange;
  removal: { path: string; bytes: number; exchange: Exchange; list: Exchange; size: Exchange };
  refused: { what: string; exchange: Exchange }[];
  /** Of V4: a name that is taken, with and without leave to override. */
  overriding: Overriding | undefined;
  /** Of V4: a cursor that nobody has made. */
  strangeCursor: Exchange | undefined;
  /** Of V3: the top of the workspace alone. */
  shallow: { folder: string; exchange: Exchange } | undefined;
}

/** What came of writing to a path that is taken. */
export interface Overriding {
  forbidden: Exchange;
  /** The list right after the refusal. */
  after: Exchange;
  allowed: Stored;
  downloaded: Exchange;
}

/** Files of V3 and V4 from their reservation to their removal. */
export const fileLives: Scenario<FileLife[]> = {
  name: 'workspace-files',
  creates: 'one workspace with six small files in V3 and V4, which are deleted again',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => (offering(target).length === 0 ? notOffered(target, keysOf('v3')) : undefined),
  drive: async (drive) => {
    const lives = await Promise.all(offering(drive.target).map((generation) => live(drive, generation)));
    return lives.filter((life) => life !== undefined);
  },
};

const papers: readonly Paper[] = [
  { name: 'b.txt', text: 'second of the names, first of the request', contentType: 'text/plain' },
  { name: 'a.txt', text: 'first of the names' },
  { name: 'a.txt.bak', text: 'a copy, \u00e4lter' },
  { name: 'a.txt2', text: 'another' },
  { name: 'c.txt', text: 'last' },
];

const exactName = 'a.txt';
const pagesMax = 6;

function keysOf(generation: DeskGeneration): OperationKey[] {
  return [
    `${generation}.createWorkspace`,
    `${generation}.uploadWorkspaceFiles`,
    `${generation}.listWorkspaceFiles`,
    `${generation}.deleteWorkspaceFile`,
    `${generation}.getWorkspaceSize`,
  ];
}

function offering(target: Target): DeskGeneration[] {
  return deskGenerations.filter((generation) => notOffered(target, keysOf(generation)) === undefined);
}

async function live(drive: Drive, generation: DeskGeneration): Promise<FileLife | undefined> {
  const shelf = await createShelf(drive, generation);
  if (shelf === undefined) return undefined;
  const stored = await shelf.store(papers, generation === 'v3' ? { prefix: 'svc-check' } : {});
  const path = stored.paths[papers.findIndex(({ name }) => name === exactName)] ?? '';
  const prefix = path.slice(0, -'.txt'.length);
  return {
    generation,
    stored,
    ...(await mismatch(shelf)),
    plain: await shelf.list(),
    ...(await download(drive, shelf, stored)),
    exact: { path, exchange: await shelf.list({ prefix: path, limit: 1 }) },
    prefixed: { prefix, exchange: await shelf.list({ prefix }) },
    pages: await allPages(shelf),
    size: await shelf.size(),
    shallow: generation === 'v3' ? { folder: 'svc-check', exchange: await shelf.list({ shallow: true }) } : undefined,
    strangeCursor: generation === 'v4' ? await shelf.list({ cursor: 'svc-check-no-cursor' }) : undefined,
    overriding: generation === 'v4' ? await override(drive, shelf) : undefined,
    refused: await refusals(shelf),
    removal: await removal(shelf, { path, bytes: byteLength(papers[1]?.text ?? '') }),
  };
}

async function allPages(shelf: Shelf): Promise<Exchange[]> {
  const pages = [await shelf.list({ limit: 2 })];
  while (pages.length < pagesMax) {
    const cursor = textOf(memberAt(pages.at(-1)?.json, 'nextCursor') ?? '');
    if (cursor === '') break;
    pages.push(await shelf.list({ limit: 2, cursor }));
  }
  return pages;
}

async function override(drive: Drive, shelf: Shelf): Promise<Overriding> {
  const taken: Paper = { name: exactName, text: 'written over' };
  const fresh: Paper = { name: 'fresh.txt', text: 'never sent' };
  const forbidden = await shelf.reserve([fresh, taken], { allowOverrides: false });
  const after = await shelf.list({ includeUrls: true });
  const allowed = await shelf.store([taken]);
  const list = await shelf.list({ includeUrls: true });
  const downloaded = await open(drive, addressIn(list, allowed.paths[0] ?? ''));
  // As it was, so that the sizes that follow are known.
  await shelf.store([papers[1] ?? taken]);
  return { forbidden, after, allowed, downloaded };
}

async function refusals(shelf: Shelf): Promise<FileLife['refused']> {
  const file = { name: 'a', size: 1 };
  const bodies = {
    'no files': { files: [] },
    'eleven files': { files: Array.from({ length: 11 }, () => file) },
    'an empty name': { files: [{ ...file, name: '' }] },
    'a name of 256 characters': { files: [{ ...file, name: textOfLength(256) }] },
    'a size of 0': { files: [{ ...file, size: 0 }] },
    'a content type of 256 characters': { files: [{ ...file, contentType: `text/${textOfLength(251)}` }] },
    ...(shelf.generation === 'v4' ? { 'more than 50 MiB': { files: [{ ...file, size: 52_428_801 }] } } : {}),
  };
  const refused: FileLife['refused'] = [];
  for (const [what, body] of Object.entries(bodies)) refused.push({ what, exchange: await shelf.refuse(body) });
  for (const limit of [0, 101]) {
    refused.push({ what: `a list with the limit ${limit}`, exchange: await shelf.list({ limit }, true) });
  }
  return refused;
}

async function removal(
  shelf: Shelf,
  { path, bytes }: Pick<FileLife['removal'], 'path' | 'bytes'>,
): Promise<FileLife['removal']> {
  const exchange = await shelf.remove(path);
  return { path, bytes, exchange, list: await shelf.list(), size: await shelf.size() };
}

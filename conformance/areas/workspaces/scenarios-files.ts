import type { Exchange } from '../../core/exchange.ts';
import { isJsonObject, memberAt, toText } from '../../core/json.ts';
import { notOffered, type OperationKey } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { createText } from '../../core/text.ts';
import { settleAll } from '../../core/outcome.ts';
import {
  byteLength,
  createWorkspaceFiles,
  type SampleFile,
  type WorkspaceFiles,
  type Stored,
  uploads,
  type WorkspaceGeneration,
  workspaceGenerations,
} from '../../common/workspace-files.ts';
import { type Alteration, alterations } from '../../common/signed-urls.ts';

/** Operations on the files of one workspace, and their responses. */
export interface FileLife extends Mismatches, Openings {
  generation: WorkspaceGeneration;
  stored: Stored;
  /** The list of files, requested without query members. */
  plain: Exchange;
  /** A file whose path is a prefix of other paths, requested alone on a page of one item. */
  exact: { path: string; exchange: Exchange };
  prefixed: { prefix: string; exchange: Exchange };
  /** The list for a prefix that occurs inside paths, but with which no path begins. */
  inner: { prefix: string; exchange: Exchange };
  /** Pages of the list of files with two items each, up to its end, at most `pagesMax` pages. */
  pages: Exchange[];
  size: Exchange;
  removal: { path: string; bytes: number; exchange: Exchange; list: Exchange; size: Exchange };
  refused: { what: string; exchange: Exchange }[];
  /** V4 only: writes to an existing path, with and without permission to override. */
  overriding: Overriding | undefined;
  /** V4 only: response to a request for the list of files with an invalid cursor. */
  strangeCursor: Exchange | undefined;
  /** V3 only: the list of the top level of the workspace; `folder` is the folder of the uploads. */
  shallow: { folder: string; exchange: Exchange } | undefined;
}

/** Responses to writes to an existing path. */
export interface Overriding {
  forbidden: Exchange;
  /** The list of files right after the refused upload. */
  after: Exchange;
  allowed: Stored;
  downloaded: Exchange;
}

/** Creates files of V3 and V4; records them from their upload reservation to their deletion. */
export const fileLives: Scenario<FileLife[]> = {
  name: 'workspace-files',
  creates: 'one workspace with six small files in V3 and V4, which are deleted again',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => (offering(target).length === 0 ? notOffered(target, listOperationKeys('v3')) : undefined),
  run: async (context) => {
    const lives = await settleAll(offering(context.target).map((generation) => live(context, generation)));
    return lives.filter((life) => life !== undefined);
  },
};

const sampleFiles: readonly SampleFile[] = [
  { name: 'b.txt', text: 'second of the names, first of the request', contentType: 'text/plain' },
  { name: 'a.txt', text: 'first of the names' },
  { name: 'a.txt.bak', text: 'a copy, \u00e4lter' },
  { name: 'a.txt2', text: 'another' },
  { name: 'c.txt', text: 'last' },
];

/**
 * Folder of the V3 uploads. Their prefix ends with a slash, because no document says whether a service puts a slash
 * between a prefix and a name.
 */
const folder = 'svc-check';

const exactName = 'a.txt';
const innerPrefix = 'txt';
const pagesMax = 6;

function listOperationKeys(generation: WorkspaceGeneration): OperationKey[] {
  return [
    `${generation}.createWorkspace`,
    `${generation}.uploadWorkspaceFiles`,
    `${generation}.listWorkspaceFiles`,
    `${generation}.deleteWorkspaceFile`,
    `${generation}.getWorkspaceSize`,
  ];
}

function offering(target: Target): WorkspaceGeneration[] {
  return workspaceGenerations.filter((generation) => notOffered(target, listOperationKeys(generation)) === undefined);
}

async function live(context: ScenarioContext, generation: WorkspaceGeneration): Promise<FileLife | undefined> {
  const workspaceFiles = await createWorkspaceFiles(context, generation);
  if (workspaceFiles === undefined) return undefined;
  const stored = await workspaceFiles.store(sampleFiles, generation === 'v3' ? { prefix: `${folder}/` } : {});
  const path = stored.paths[sampleFiles.findIndex(({ name }) => name === exactName)] ?? '';
  const prefix = path.slice(0, -'.txt'.length);
  return {
    generation,
    stored,
    ...(await mismatch(workspaceFiles)),
    plain: await workspaceFiles.list(),
    ...(await download(context, workspaceFiles, stored)),
    exact: { path, exchange: await workspaceFiles.list({ prefix: path, limit: 1 }) },
    prefixed: { prefix, exchange: await workspaceFiles.list({ prefix }) },
    inner: { prefix: innerPrefix, exchange: await workspaceFiles.list({ prefix: innerPrefix }) },
    pages: await allPages(workspaceFiles),
    size: await workspaceFiles.size(),
    shallow: generation === 'v3' ? { folder, exchange: await workspaceFiles.list({ shallow: true }) } : undefined,
    strangeCursor: generation === 'v4' ? await workspaceFiles.list({ cursor: 'svc-check-no-cursor' }) : undefined,
    overriding: generation === 'v4' ? await override(context, workspaceFiles) : undefined,
    refused: await refusals(workspaceFiles),
    removal: await removal(workspaceFiles, { path, bytes: byteLength(sampleFiles[1]?.text ?? '') }),
  };
}

async function allPages(workspaceFiles: WorkspaceFiles): Promise<Exchange[]> {
  const pages = [await workspaceFiles.list({ limit: 2 })];
  while (pages.length < pagesMax) {
    const cursor = toText(memberAt(pages.at(-1)?.json, 'nextCursor') ?? '');
    if (cursor === '') break;
    pages.push(await workspaceFiles.list({ limit: 2, cursor }));
  }
  return pages;
}

async function override(context: ScenarioContext, workspaceFiles: WorkspaceFiles): Promise<Overriding> {
  const taken: SampleFile = { name: exactName, text: 'written over' };
  const fresh: SampleFile = { name: 'fresh.txt', text: 'never sent' };
  const forbidden = await workspaceFiles.reserve([fresh, taken], { allowOverrides: false });
  const after = await workspaceFiles.list({ includeUrls: true });
  const allowed = await workspaceFiles.store([taken]);
  const list = await workspaceFiles.list({ includeUrls: true });
  const downloaded = await open(context, addressIn(list, allowed.paths[0] ?? ''));
  // Restores the file, so that the sizes that follow are known.
  await workspaceFiles.store([sampleFiles[1] ?? taken]);
  return { forbidden, after, allowed, downloaded };
}

async function refusals(workspaceFiles: WorkspaceFiles): Promise<FileLife['refused']> {
  const file = { name: 'a', size: 1 };
  const bodies = {
    'no files': { files: [] },
    'eleven files': { files: Array.from({ length: 11 }, () => file) },
    'an empty name': { files: [{ ...file, name: '' }] },
    'a name of 256 characters': { files: [{ ...file, name: createText(256) }] },
    'a size of 0': { files: [{ ...file, size: 0 }] },
    'a content type of 256 characters': { files: [{ ...file, contentType: `text/${createText(251)}` }] },
    ...(workspaceFiles.generation === 'v4' ? { 'more than 50 MiB': { files: [{ ...file, size: 52_428_801 }] } } : {}),
  };
  const refused: FileLife['refused'] = [];
  for (const [what, body] of Object.entries(bodies))
    refused.push({ what, exchange: await workspaceFiles.refuse(body) });
  for (const limit of [0, 101]) {
    refused.push({ what: `a list with the limit ${limit}`, exchange: await workspaceFiles.list({ limit }, true) });
  }
  refused.push({ what: 'a removal without a path', exchange: await workspaceFiles.remove() });
  return refused;
}

async function removal(
  workspaceFiles: WorkspaceFiles,
  { path, bytes }: Pick<FileLife['removal'], 'path' | 'bytes'>,
): Promise<FileLife['removal']> {
  const exchange = await workspaceFiles.remove(path);
  return { path, bytes, exchange, list: await workspaceFiles.list(), size: await workspaceFiles.size() };
}

/** Uploads that differ from the declared type or size. */
export interface Mismatches {
  /**
   * Uploads with another content type, with fewer bytes and with more bytes than declared; `afterMismatch` is the list
   * after these uploads.
   */
  mismatched: { what: string; path: string; exchange: Exchange }[];
  afterMismatch: Exchange;
}

/** Responses of upload and download URLs. */
export interface Openings {
  /** The list of files with their URLs. */
  withUrls: Exchange;
  downloads: { path: string; text: string; exchange: Exchange }[];
  /** Responses to upload and download URLs that have one alteration each. */
  altered: { of: 'upload' | 'download'; exchange: Exchange }[];
}

/** Sends uploads that differ from the declared type or size. */
async function mismatch(workspaceFiles: WorkspaceFiles): Promise<Mismatches> {
  const file: SampleFile = { name: 'wrong.txt', text: 'twelve bytes', contentType: 'text/plain' };
  const tries: { what: string; text: string; type: string }[] = [
    { what: 'another content type', text: file.text, type: 'text/html' },
    { what: 'fewer bytes', text: 'eleven byte', type: 'text/plain' },
    { what: 'more bytes', text: 'thirteen byte', type: 'text/plain' },
  ];
  const mismatched: Mismatches['mismatched'] = [];
  for (const { what, text, type } of tries) {
    const reserved = await workspaceFiles.reserve([file]);
    const [address] = uploads(reserved, 'uploadUrl');
    if (address === undefined) continue;
    const exchange = await workspaceFiles.put(address, { ...file, text }, type);
    mismatched.push({ what, path: uploads(reserved, 'path')[0] ?? '', exchange });
  }
  return { mismatched, afterMismatch: await workspaceFiles.list() };
}

/** Opens the URL of each stored file. Also tries altered copies of a download URL and of upload URLs. */
async function download(
  context: ScenarioContext,
  workspaceFiles: WorkspaceFiles,
  { samples, paths }: Stored,
): Promise<Openings> {
  const asked = workspaceFiles.generation === 'v4' ? { contentDisposition: 'attachment' } : {};
  const withUrls = await workspaceFiles.list({ includeUrls: true, ...asked });
  const downloads: Openings['downloads'] = [];
  for (const [index, path] of paths.entries()) {
    const address = addressIn(withUrls, path);
    const text = samples[index]?.text;
    if (address !== '' && text !== undefined) downloads.push({ path, text, exchange: await open(context, address) });
  }
  const altered: Openings['altered'] = [];
  for (const alteration of alterations(addressIn(withUrls, paths[0] ?? ''))) {
    altered.push({ of: 'download', exchange: await open(context, alteration.address) });
  }
  return { withUrls, downloads, altered: [...altered, ...(await sendAltered(workspaceFiles))] };
}

/** Uploads to altered upload URLs. A URL accepts one upload, so each alteration is tried on an unused URL. */
async function sendAltered(workspaceFiles: WorkspaceFiles): Promise<Openings['altered']> {
  const spare: SampleFile = { name: 'spare.txt', text: 'spare' };
  const next = async (): Promise<Alteration[]> =>
    alterations(uploads(await workspaceFiles.reserve([spare]), 'uploadUrl')[0] ?? '');
  const altered: Openings['altered'] = [];
  for (let alteration = (await next())[0]; alteration !== undefined; alteration = (await next())[altered.length]) {
    altered.push({ of: 'upload', exchange: await workspaceFiles.put(alteration.address, spare) });
  }
  return altered;
}

/** Opens a URL without a key. */
export function open({ send }: ScenarioContext, address: string): Promise<Exchange> {
  return send({ generation: 'other', operation: 'downloadFile', method: 'GET', path: address, key: 'none' });
}

/** Returns the URL that a list of files shows for a path; an empty string if the list shows no URL for this path. */
export function addressIn(list: Exchange, path: string): string {
  const files = memberAt(list.json, 'files');
  const found = Array.isArray(files) ? files.filter(isJsonObject).find((file) => file['path'] === path) : undefined;
  return typeof found?.['url'] === 'string' ? found['url'] : '';
}

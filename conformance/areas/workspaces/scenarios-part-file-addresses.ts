import type { Exchange } from '../../core/exchange.ts';
import { isJsonObject, memberAt } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import { type Alteration, alterations } from '../common/scenarios-part-altered-address.ts';
import { type Paper, type Shelf, type Stored, uploads } from './stored-files.ts';

/** Uploads that differ from what was declared. */
export interface Mismatches {
  /** Sent with another type, and with fewer and more bytes than were declared; and what the list showed then. */
  mismatched: { what: string; path: string; exchange: Exchange }[];
  afterMismatch: Exchange;
}

/** What addresses open. */
export interface Openings {
  /** The list with addresses. */
  withUrls: Exchange;
  downloads: { path: string; text: string; exchange: Exchange }[];
  /** An upload and a download address with a change in them, opened. */
  altered: { of: 'upload' | 'download'; alteration: Alteration; exchange: Exchange }[];
}

/** Sends what differs from what was declared. */
export async function mismatch(shelf: Shelf): Promise<Mismatches> {
  const paper: Paper = { name: 'wrong.txt', text: 'twelve bytes', contentType: 'text/plain' };
  const tries: { what: string; text: string; type: string }[] = [
    { what: 'another content type', text: paper.text, type: 'text/html' },
    { what: 'fewer bytes', text: 'eleven byte', type: 'text/plain' },
    { what: 'more bytes', text: 'thirteen byte', type: 'text/plain' },
  ];
  const mismatched: Mismatches['mismatched'] = [];
  for (const { what, text, type } of tries) {
    const reserved = await shelf.reserve([paper]);
    const [address] = uploads(reserved, 'uploadUrl');
    if (address === undefined) continue;
    const exchange = await shelf.put(address, { ...paper, text }, type);
    mismatched.push({ what, path: uploads(reserved, 'path')[0] ?? '', exchange });
  }
  return { mismatched, afterMismatch: await shelf.list() };
}

/** Opens the address of each stored file, and addresses in which something was changed. */
export async function download(drive: Drive, shelf: Shelf, { papers, paths }: Stored): Promise<Openings> {
  const asked = shelf.generation === 'v4' ? { contentDisposition: 'attachment' } : {};
  const withUrls = await shelf.list({ includeUrls: true, ...asked });
  const downloads: Openings['downloads'] = [];
  for (const [index, path] of paths.entries()) {
    const address = addressIn(withUrls, path);
    const text = papers[index]?.text;
    if (address !== '' && text !== undefined) downloads.push({ path, text, exchange: await open(drive, address) });
  }
  const altered: Openings['altered'] = [];
  for (const alteration of alterations(addressIn(withUrls, paths[0] ?? ''))) {
    altered.push({ of: 'download', alteration, exchange: await open(drive, alteration.address) });
  }
  return { withUrls, downloads, altered: [...altered, ...(await sendAltered(shelf))] };
}

// An address takes one file: each change is tried on an address that has taken none.
async function sendAltered(shelf: Shelf): Promise<Openings['altered']> {
  const spare: Paper = { name: 'spare.txt', text: 'spare' };
  const next = async (): Promise<Alteration[]> =>
    alterations(uploads(await shelf.reserve([spare]), 'uploadUrl')[0] ?? '');
  const altered: Openings['altered'] = [];
  for (let alteration = (await next())[0]; alteration !== undefined; alteration = (await next())[altered.length]) {
    altered.push({ of: 'upload', alteration, exchange: await shelf.put(alteration.address, spare) });
  }
  return altered;
}

/** Opens an address without a key. */
export function open({ send }: Drive, address: string): Promise<Exchange> {
  return send({ generation: 'other', operation: 'downloadFile', method: 'GET', path: address, key: 'none' });
}

/** The address of a path in a list; empty when it shows none. */
export function addressIn(list: Exchange, path: string): string {
  const files = memberAt(list.json, 'files');
  const found = Array.isArray(files) ? files.filter(isJsonObject).find((file) => file['path'] === path) : undefined;
  return typeof found?.['url'] === 'string' ? found['url'] : '';
}

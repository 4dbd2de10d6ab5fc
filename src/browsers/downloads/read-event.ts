import type { CdpMessage } from '../pipe/cdp-message.ts';

/** What the browser tells of one download; `id` is Chromium's own name for it. */
export type Seen =
  | { readonly kind: 'begin'; readonly id: string; readonly name: string }
  | { readonly kind: 'progress'; readonly id: string; readonly received: number; readonly expected: number }
  | { readonly kind: 'completed'; readonly id: string; readonly path: string }
  | { readonly kind: 'canceled'; readonly id: string };

/** What an event tells of a download, or null for any other event. */
export function readEvent({ method, params = {} }: CdpMessage): Seen | null {
  const { guid, suggestedFilename, state, receivedBytes, totalBytes, filePath } = params;
  if (typeof guid !== 'string') return null;
  if (method === 'Browser.downloadWillBegin')
    return { kind: 'begin', id: guid, name: typeof suggestedFilename === 'string' ? suggestedFilename : '' };
  if (method !== 'Browser.downloadProgress') return null;
  if (state === 'canceled') return { kind: 'canceled', id: guid };
  // Without a path the file has the name that was asked for, its id.
  if (state === 'completed')
    return { kind: 'completed', id: guid, path: typeof filePath === 'string' ? filePath : guid };
  return { kind: 'progress', id: guid, received: Number(receivedBytes), expected: Number(totalBytes) };
}

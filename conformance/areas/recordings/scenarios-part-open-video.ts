import type { Exchange } from '../../core/exchange.ts';
import type { Drive } from '../../core/scenario.ts';

/** The first bytes of what an address gives without a key. */
export interface Opened {
  exchange: Exchange;
}

/** Enough to see what kind of file it is; a server that knows no ranges sends all of it. */
const range = { range: 'bytes=0-255' };

/** Asks an address for the first bytes of a video, without a key. */
export async function openVideo(drive: Pick<Drive, 'send'>, address: string): Promise<Opened> {
  const spec = { generation: 'other', operation: 'recording', method: 'GET', path: address, key: 'none' } as const;
  return { exchange: await drive.send({ ...spec, headers: range }) };
}

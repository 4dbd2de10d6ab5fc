import type { Client } from 'openapi-fetch';
import type { paths } from '../../../generated/v4.ts';
import { read } from './connect.ts';

const connectionsMax = 3;

/**
 * Creates a browser, asks for its version, and always stops the browser. Connects again after an error, such as a lost
 * connection, up to `connectionsMax` times in all.
 */
export async function useBrowser(client: Client<paths>, timeout: number, rounds: number): Promise<object> {
  const { id, cdpUrl } = await read(client.POST('/browsers', { body: { timeout } }));
  try {
    for (let connections = 1; ; connections += 1) {
      try {
        return { id, product: await askVersion(cdpUrl ?? '', rounds) };
      } catch (error) {
        if (connections === connectionsMax) throw error;
      }
    }
  } finally {
    await client.PATCH('/browsers/{id}', { params: { path: { id } }, body: { action: 'stop' } });
  }
}

function askVersion(cdpUrl: string, rounds: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(cdpUrl);
    let left = rounds;
    const ask = (): void => socket.send(JSON.stringify({ id: left, method: 'Browser.getVersion' }));
    const lost = (): void => reject(new Error('the connection to the browser was lost'));
    for (const event of ['close', 'error']) socket.addEventListener(event, lost);
    socket.addEventListener('open', ask);
    socket.addEventListener('message', ({ data }) => {
      left -= 1;
      if (left > 0) return ask();
      resolve(JSON.parse(data).result.product);
      socket.close();
    });
  });
}

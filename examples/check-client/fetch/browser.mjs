const connectionsMax = 3;

/**
 * Creates a browser, calls `drive` with its CDP URL, and always stops the browser. Calls `drive` again after an error,
 * such as a lost connection, up to `connectionsMax` times in all.
 */
export async function withBrowser({ call }, settings, drive) {
  const { id, cdpUrl } = await call('POST', '/browsers', { json: settings });
  try {
    for (let connections = 1; ; connections += 1) {
      try {
        return { id, ...(await drive(cdpUrl)) };
      } catch (error) {
        if (connections === connectionsMax) throw error;
      }
    }
  } finally {
    await call('PATCH', `/browsers/${id}`, { json: { action: 'stop' } });
  }
}

/** Asks a browser for its version `rounds` times, one request after the other. Rejects if the connection is lost. */
export function askVersion(cdpUrl, rounds) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(cdpUrl);
    let left = rounds;
    const ask = () => socket.send(JSON.stringify({ id: left, method: 'Browser.getVersion' }));
    const lost = () => reject(new Error('the connection to the browser was lost'));
    for (const event of ['close', 'error']) socket.addEventListener(event, lost);
    socket.addEventListener('open', ask);
    socket.addEventListener('message', ({ data }) => {
      left -= 1;
      if (left > 0) return ask();
      resolve({ product: JSON.parse(data).result.product });
      socket.close();
    });
  });
}

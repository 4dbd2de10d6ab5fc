import type { HostedBrowser } from '../host.ts';
import type { CdpClient, CdpListener } from '../pipe/cdp-client.ts';

/** A root session of a browser for a connection that is still to come: whoever gets the connection finds its browser behind it. */
export interface Seat {
  readonly browser: HostedBrowser;
  readonly client: CdpClient;
  /** Tells a listener what comes from now on, and at once that the browser has ended where it has. Called at most once. */
  occupy(listener: CdpListener): void;
}

/** Joins a browser; rejects when it has ended. The seat is its taker's to close. */
export async function takeSeat(browser: HostedBrowser): Promise<Seat> {
  let taken: CdpListener | null = null;
  let end: string | null = null;
  const client = await browser.attach({
    // Nothing comes before the client has sent something, and it sends nothing before it has the seat.
    message: (message) => taken?.message(message),
    unread: (bytes) => taken?.unread?.(bytes),
    closed(reason) {
      end = reason;
      taken?.closed(reason);
    },
  });
  return {
    browser,
    client,
    occupy(listener) {
      taken = listener;
      if (end !== null) listener.closed(end);
    },
  };
}

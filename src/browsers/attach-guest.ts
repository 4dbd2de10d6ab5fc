import { isJsonObject, type JsonValue } from '#lib/json.ts';
import { type DownloadWatch, followGuest } from './downloads/watch-downloads.ts';
import type { PositionKeeper } from './launch/exit-location.ts';
import type { PermissionKeeper } from './profile/permissions.ts';
import type { DialogWatch } from './tab/dialogs.ts';
import { type CdpClient, type CdpListener, type CdpMessage, forwardUnread } from './pipe/cdp-client.ts';
import type { CdpMux } from './pipe/cdp-mux.ts';
import type { TraceStreams } from './pipe/trace-streams.ts';

/** Dependencies of {@link attachGuest}: the external DevTools client, and the trackers of the browser's state. */
export interface GuestDeps {
  readonly listener: CdpListener;
  readonly dialogs: Pick<DialogWatch, 'join'>;
  readonly downloads: Pick<DownloadWatch, 'adopt' | 'restore'>;
  /** Returns why the service ended the browser; null if the service did not end it, for example after a crash. */
  readonly endedFor: () => string | null;
  /**
   * Handles permission commands, so that granted permissions outlast the client. Null for a browser whose permissions
   * end with the client that granted them.
   */
  readonly permissions: PermissionKeeper | null;
  readonly position: PositionKeeper;
  readonly traces: TraceStreams;
  /** Called with the id of a tab that the client brings to the front. */
  readonly fronted: (targetId: string) => void;
}

/**
 * Attaches an external DevTools client to a browser. While the client is attached, the service leaves JavaScript
 * dialogs to the clients. Rejects when the browser has ended.
 */
export async function attachGuest(
  mux: CdpMux,
  { listener, dialogs, downloads, permissions, position, traces, fronted, endedFor }: GuestDeps,
): Promise<CdpClient> {
  const leave = dialogs.join();
  let open = true;
  const reply = (message: CdpMessage): void => {
    if (open) listener.message(message);
  };
  const guest = followGuest(downloads);
  const placed = position.join();
  const fronts = followFronts(fronted);
  try {
    const client = await mux.attach({
      message: (message) => {
        guest.received(message);
        placed.received(message);
        fronts.received(message);
        listener.message(message);
      },
      // Unparsed messages are neither target events nor the replies that `send` asks to parse. Only their traces are
      // changed.
      ...forwardUnread(listener, (bytes) => traces.hideFolders(bytes)),
      closed: (reason) => {
        open = false;
        leave();
        guest.left();
        placed.left();
        listener.closed(endedFor() ?? reason);
      },
    });
    return {
      send(message) {
        if (permissions?.take(message, reply) === true) return;
        fronts.sent(message);
        const { command, wish } = traces.sent(message);
        client.send(command, guest.sent(message) ? 'read' : wish);
        placed.sent(message);
      },
      ready: () => client.ready(),
      unanswered: () => client.unanswered(),
      async close() {
        open = false;
        leave();
        await client.close();
        // After `close`, because the settings of the client end with its last session.
        guest.left();
        placed.left();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Observer of the DevTools messages of one client, to find commands that bring a tab to the front. */
export interface FrontWatch {
  sent(message: CdpMessage): void;
  received(message: CdpMessage): void;
}

/**
 * Creates an observer that calls `fronted` with the id of each tab that the client brings to the front. Chromium sends
 * no event when a tab comes to the front, and a headless browser shows no difference.
 */
export function followFronts(fronted: (targetId: string) => void): FrontWatch {
  const targets = new Map<string, string>();
  return {
    sent({ method, params = {}, sessionId = '' }) {
      const id = method === 'Target.activateTarget' ? params['targetId'] : undefined;
      if (typeof id === 'string') fronted(id);
      const target = method === 'Page.bringToFront' ? targets.get(sessionId) : undefined;
      if (target !== undefined) fronted(target);
    },
    received({ method, params = {} }) {
      const { sessionId, targetInfo } = params;
      if (typeof sessionId !== 'string') return;
      if (method === 'Target.detachedFromTarget') targets.delete(sessionId);
      if (method !== 'Target.attachedToTarget' || !isJsonObject(targetInfo)) return;
      if (targetInfo['type'] === 'page') targets.set(sessionId, getText(targetInfo['targetId']));
    },
  };
}

function getText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

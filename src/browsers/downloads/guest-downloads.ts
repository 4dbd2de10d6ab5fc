import type { CdpMessage } from '../pipe/cdp-message.ts';
import type { DownloadWatch } from './watch-downloads.ts';

/** What of a client's messages concerns downloads. */
export interface GuestDownloads {
  /** Looks at a command that is on its way to the browser; answers whether its reply has to be seen here. */
  sent(command: CdpMessage): boolean;
  /** Looks at a message before the client gets it. */
  received(message: CdpMessage): void;
  /** The client has been detached, and with it what it wanted of downloads. */
  left(): void;
}

/** Follows one client: a context that it makes can download, and what it changed is as before once it has left. */
export function followGuest(downloads: Pick<DownloadWatch, 'adopt' | 'restore'>): GuestDownloads {
  const contextCommands = new Set<string>();
  const keyOf = ({ id, sessionId = '' }: CdpMessage): string => `${id}@${sessionId}`;
  let hadWishes = false;
  return {
    sent(command) {
      if (command.method?.endsWith('.setDownloadBehavior') === true) hadWishes = true;
      const makesContext = command.method === 'Target.createBrowserContext';
      if (makesContext) contextCommands.add(keyOf(command));
      return makesContext;
    },
    received(message) {
      if (message.id === undefined || !contextCommands.delete(keyOf(message))) return;
      const contextId = message.result?.['browserContextId'];
      if (typeof contextId === 'string') downloads.adopt(contextId);
    },
    left() {
      if (hadWishes) void downloads.restore();
      hadWishes = false;
    },
  };
}

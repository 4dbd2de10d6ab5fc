import type { JsonObject } from '#lib/json.ts';
import type { CdpMessage } from './cdp-client.ts';
import type { CdpMux } from './cdp-mux.ts';

/** A DevTools client that matches replies to commands. */
export interface CommandChannel {
  /**
   * Sends a command, on the root session by default. Resolves with the reply, even if it is an error; with an error
   * when the browser ends or the page of the session closes. Never rejects.
   */
  ask(command: Command): Promise<CdpMessage>;
  /** Detaches the client and its sessions. */
  close(): Promise<void>;
}

/** A command and its session. */
export interface Command {
  readonly method: string;
  readonly params?: JsonObject;
  readonly sessionId?: string;
}

/**
 * Creates a DevTools client for the service itself. `onEvent` receives every event of the client's sessions. `guards`
 * has the meaning of this member in {@link CdpListener}.
 */
export async function openCommandChannel(
  mux: CdpMux,
  onEvent: (event: CdpMessage) => void,
  guards: readonly string[] = [],
): Promise<CommandChannel> {
  const waiting = new Map<number, (reply: CdpMessage) => void>();
  let lastId = 0;
  let closedFor: string | null = null;
  const client = await mux.attach({
    guards,
    message(message) {
      if (message.id === undefined) return onEvent(message);
      waiting.get(message.id)?.(message);
      return void waiting.delete(message.id);
    },
    closed(reason) {
      closedFor = reason;
      for (const resolve of waiting.values()) resolve({ error: { message: reason } });
      waiting.clear();
    },
  });
  return {
    ask(command) {
      // No reply would arrive after the end.
      if (closedFor !== null) return Promise.resolve({ error: { message: closedFor } });
      const { promise, resolve } = Promise.withResolvers<CdpMessage>();
      lastId += 1;
      waiting.set(lastId, resolve);
      client.send({ ...command, id: lastId });
      return promise;
    },
    close: () => client.close(),
  };
}

import { type CdpClient, type CdpListener, type CdpMessage, forwardUnread } from '../pipe/cdp-client.ts';
import type { Disguise } from './wear-disguise.ts';

/** Attaches a client to a browser. */
type Attach = (listener: CdpListener) => Promise<CdpClient>;

/**
 * Attaches a DevTools client. Its commands to a new page or worker wait until the browser identity is applied there.
 * Otherwise a client that navigates a new tab at once could load a page that sees the unmodified browser. Other
 * commands are sent immediately.
 */
export async function behindDisguise(
  disguise: Disguise | null,
  listener: CdpListener,
  attach: Attach,
): Promise<CdpClient> {
  if (disguise === null) return attach(listener);
  const targets = new Map<string, string>();
  const held = new Map<string, CdpMessage[]>();
  let open = true;
  const forget = (): void => {
    open = false;
    targets.clear();
    held.clear();
  };
  const client = await attach({
    message(message) {
      follow(message, targets);
      listener.message(message);
    },
    ...forwardUnread(listener),
    closed(reason) {
      forget();
      listener.closed(reason);
    },
  });
  const release = (sessionId: string): void => {
    const waiting = held.get(sessionId) ?? [];
    held.delete(sessionId);
    if (open) for (const message of waiting) client.send(message);
  };
  return {
    send(message) {
      const { sessionId } = message;
      if (sessionId === undefined || targets.size === 0) return client.send(message);
      const waiting = held.get(sessionId);
      if (waiting !== undefined) return void waiting.push(message);
      const told = disguise.pending(targets.get(sessionId) ?? '');
      if (told === null) {
        targets.delete(sessionId);
        return client.send(message);
      }
      held.set(sessionId, [message]);
      void told.then(() => release(sessionId));
    },
    ready: () => client.ready(),
    unanswered() {
      let sum = client.unanswered();
      for (const { length } of held.values()) sum += length;
      return sum;
    },
    async close() {
      forget();
      await client.close();
    },
  };
}

/** Records which target a session belongs to, from its attach event until its detach event. */
function follow({ method, params }: CdpMessage, targets: Map<string, string>): void {
  const sessionId = params?.['sessionId'];
  if (typeof sessionId !== 'string') return;
  if (method === 'Target.detachedFromTarget') targets.delete(sessionId);
  if (method !== 'Target.attachedToTarget') return;
  const info = params?.['targetInfo'];
  const targetId: unknown = typeof info === 'object' && info !== null ? Reflect.get(info, 'targetId') : undefined;
  if (typeof targetId === 'string') targets.set(sessionId, targetId);
}

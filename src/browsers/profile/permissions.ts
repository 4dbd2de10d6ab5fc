import type { CdpClient, CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import type { PermissionCommand } from './carried-state.ts';

/** Gives permissions in the place of the clients that ask for them. */
export interface PermissionKeeper {
  /**
   * Carries a client's command out when it changes permissions of the browser's own context, and hands the reply on; false for any
   * other command, which is the client's own affair.
   */
  take(command: CdpMessage, reply: (message: CdpMessage) => void): boolean;
  /** The commands that made the permissions what they are, in their order. */
  given(): readonly PermissionCommand[];
}

/** The commands, and whether one takes back all that was given before. */
const permissionMethods = new Map([
  ['Browser.grantPermissions', false],
  ['Browser.setPermission', false],
  ['Browser.resetPermissions', true],
]);

/** Commands that are kept, more than any person gives: the oldest ones go first, and one that is longer than this is carried out only. */
const givenMax = 1_000;
const givenLengthMax = 4_096;
/** Further pending commands count as those of the clients, which have their own limit. */
const waitingMax = 1_000;

/**
 * Permissions as long as the browser lives: Chromium takes back what a client gave as soon as that client leaves, so all of them are
 * given on one session that stays. `before` are those that the browser has got already.
 */
export async function createPermissionKeeper(
  mux: CdpMux,
  before: readonly PermissionCommand[],
): Promise<PermissionKeeper> {
  const given = new Map(before.map((command) => [JSON.stringify(command), command]));
  const keep = (command: PermissionCommand): void => {
    const text = JSON.stringify(command);
    // The same command given again counts once, in its last place.
    given.delete(text);
    if (text.length <= givenLengthMax) given.set(text, command);
    for (const oldest of given.keys()) if (given.size > givenMax) given.delete(oldest);
  };
  let lastId = 0;
  const waiting = new Map<number, (answer: CdpMessage) => void>();
  const client: CdpClient = await mux.attach({
    message(message) {
      if (message.id === undefined) return;
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    },
    closed: () => waiting.clear(),
  });
  return {
    take(command, reply) {
      const { id, method = '', params = {}, sessionId } = command;
      const resets = permissionMethods.get(method);
      if (resets === undefined || params['browserContextId'] !== undefined || waiting.size >= waitingMax) return false;
      lastId += 1;
      waiting.set(lastId, ({ result, error }) => {
        if (error === undefined && resets) given.clear();
        else if (error === undefined) keep({ method, params });
        const head = { ...(id === undefined ? {} : { id }), ...(sessionId === undefined ? {} : { sessionId }) };
        reply({ ...head, ...(error === undefined ? { result: result ?? {} } : { error }) });
      });
      client.send({ id: lastId, method, params });
      return true;
    },
    given: () => [...given.values()],
  };
}

import type { CdpClient, CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import type { PermissionCommand } from './carried-state.ts';

/** Grants permissions for clients. The permissions outlast the client that has requested them. */
export interface PermissionKeeper {
  /**
   * Executes a client's command that changes permissions of the default browser context, and passes the reply to
   * `reply`. Returns false for any other command, and while too many commands are pending. The caller then sends the
   * command on the client's own connection.
   */
  take(command: CdpMessage, reply: (message: CdpMessage) => void): boolean;
  /** Returns the commands that must be repeated to restore the current permissions, in order. */
  given(): readonly PermissionCommand[];
}

/** Permission commands of DevTools. The value tells whether the command resets all earlier permissions. */
const permissionMethods = new Map([
  ['Browser.grantPermissions', false],
  ['Browser.setPermission', false],
  ['Browser.resetPermissions', true],
]);

/**
 * Maximum number of remembered permission commands; the oldest are forgotten first. A command of more than
 * `givenLengthMax` characters is executed but not remembered.
 */
const givenMax = 1_000;
const givenLengthMax = 4_096;
/**
 * Maximum number of permission commands that wait for a reply of the browser. Further commands are forwarded on the
 * client's own connection, which has its own limit.
 */
const waitingMax = 1_000;

/**
 * Creates a keeper of permissions for the life of a browser. Chromium revokes the permissions that a client has granted
 * when this client leaves. The keeper therefore grants all permissions through its own, permanent DevTools session.
 * `before` lists permissions that the browser already has.
 */
export async function createPermissionKeeper(
  mux: CdpMux,
  before: readonly PermissionCommand[],
): Promise<PermissionKeeper> {
  const given = new Map(before.map((command) => [JSON.stringify(command), command]));
  const keep = (command: PermissionCommand): void => {
    const text = JSON.stringify(command);
    // A repeated command counts once, at its last position.
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

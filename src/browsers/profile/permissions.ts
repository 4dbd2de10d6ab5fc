import type { CdpClient, CdpMessage } from '../pipe/cdp-client.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import type { PermissionCommand } from './carried-state.ts';

/** Grants permissions on behalf of clients. */
export interface PermissionKeeper {
  /**
   * Executes a client's command that changes permissions of the default context, and passes the reply on. Returns false
   * for any other command, and while too many commands are pending; the caller then forwards the command on the client's
   * own connection.
   */
  take(command: CdpMessage, reply: (message: CdpMessage) => void): boolean;
  /** Returns the commands that produced the current permissions, in order. */
  given(): readonly PermissionCommand[];
}

/** Permission commands, and whether a command resets earlier ones. */
const permissionMethods = new Map([
  ['Browser.grantPermissions', false],
  ['Browser.setPermission', false],
  ['Browser.resetPermissions', true],
]);

/**
 * Maximum number of kept commands; the oldest ones are dropped first. A command of more than `givenLengthMax`
 * characters is executed but not kept.
 */
const givenMax = 1_000;
const givenLengthMax = 4_096;
/**
 * Maximum number of pending commands of the keeper. Further commands are forwarded on the clients' own connections,
 * within their limit.
 */
const waitingMax = 1_000;

/**
 * Creates a keeper of permissions for the life of a browser. Chromium revokes a client's permissions when the client
 * leaves, so the keeper grants all permissions on one permanent session. `before` lists permissions that the browser
 * already has.
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

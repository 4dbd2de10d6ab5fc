import type { Logger } from 'pino';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { Unavailable } from '#lib/http.ts';
import type { Vault } from '#lib/vault.ts';
import type { BusMessage, Command, WorkerBus } from './worker-bus.ts';

/** Dependencies of commands between processes. */
export interface OwnerRequestDeps {
  /** Encrypts messages between processes, because the content of a message must not be readable in the database. */
  readonly vault: Vault;
  readonly bus: WorkerBus;
  /** Returns a new UUID. */
  readonly newId: () => string;
  readonly log: Logger;
}

/** Client that sends commands to other processes, and receiver of commands from other processes. */
export interface OwnerRequests {
  /**
   * Sends a command to a process without waiting for a response. Resolves to true when the command is stored durably,
   * and to false when the process has left.
   */
  tell(owner: string, command: Command): Promise<boolean>;
  /**
   * Sends a command to a process and returns the response; null when the process has left, or leaves before it
   * responds. Rejects when the command fails in that process, and with Unavailable after a minute without a response.
   */
  ask(owner: string, command: Command): Promise<Answer | null>;
  /** Handles the commands of other processes until the bus is closed. */
  handleCommands(run: (command: Command) => Promise<Answer>): Promise<void>;
  /**
   * Ignores commands from now on, and sends no response for a pending command that fails. The caller of the command
   * notices that this process has left, and asks another process.
   */
  leave(): void;
  /** Receives the ids of the live processes; pending requests to all other processes resolve with null. */
  living(ids: ReadonlySet<string>): void;
}

/** Timeout of a request in milliseconds: longer than the detection of a dead worker. */
const answerMs = 60_000;

interface Waiting {
  readonly owner: string;
  readonly resolve: (answer: Answer | null) => void;
  readonly reject: (error: Error) => void;
}

/** Creates requests over a bus; `self` is the id of this process. */
export function createOwnerRequests({ vault, bus, newId, log }: OwnerRequestDeps, self: string): OwnerRequests {
  const waiting = new Map<string, Waiting>();
  let hasLeft = false;
  const message = (kind: BusMessage['kind'], id: string, value: object): BusMessage => ({
    kind,
    id,
    from: self,
    sealed: vault.seal(JSON.stringify(value), id),
  });
  const hear = (run: (command: Command) => Promise<Answer>, { kind, id, from, sealed }: BusMessage): void => {
    if (kind === 'answer') return settle(waiting.get(id), JSON.parse(vault.open(sealed, id)));
    if (hasLeft) return;
    // Only `message` writes this text, and it serialises a Command.
    const command: Command = JSON.parse(vault.open(sealed, id));
    void reply(async () => {
      const outcome = await runCommand(run, command);
      if (!hasLeft || 'answer' in outcome) await bus.send(from, message('answer', id, outcome));
    }, log);
  };
  return {
    tell: (owner, command) => bus.send(owner, message('command', newId(), command)),
    async ask(owner, command) {
      const id = newId();
      const { promise, resolve, reject } = Promise.withResolvers<Answer | null>();
      waiting.set(id, { owner, resolve, reject });
      const timeoutTimer = setTimeout(
        () => reject(silent(`the worker ${owner} did not answer to ${command.op}`)),
        answerMs,
      );
      try {
        // Not awaited: the response or the timeout may come first. The membership check detects an owner that has left.
        bus.send(owner, message('command', id, command)).catch(reject);
        return await promise;
      } finally {
        clearTimeout(timeoutTimer);
        waiting.delete(id);
      }
    },
    leave: () => void (hasLeft = true),
    handleCommands: (run) => bus.listen(self, (heard) => hear(run, heard)),
    living(ids) {
      for (const { owner, resolve } of waiting.values()) if (!ids.has(owner)) resolve(null);
    },
  };
}

/** Creates the error of a command without a response in time; the command may still be executed. */
export function silent(message: string): Unavailable {
  return new Unavailable('owner_silent', message);
}

/** Sends a response. A failure is only logged; the caller then gets no response and times out. */
async function reply(send: () => Promise<void>, log: Logger): Promise<void> {
  try {
    await send();
  } catch (error) {
    log.error({ err: error }, 'an answer to another process could not be sent');
  }
}

type Outcome = { readonly answer: Answer } | { readonly error: string };

async function runCommand(run: (command: Command) => Promise<Answer>, command: Command): Promise<Outcome> {
  try {
    return { answer: await run(command) };
  } catch (error) {
    // The caller receives the error, so that its request fails as if the command had run there.
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function settle(asked: Waiting | undefined, outcome: JsonValue): void {
  // Late responses are ignored.
  if (asked === undefined || !isJsonObject(outcome)) return;
  const { answer, error } = outcome;
  if (answer !== undefined && isJsonObject(answer)) asked.resolve(answer);
  else asked.reject(new Error(`the worker ${asked.owner} failed: ${JSON.stringify(error)}`));
}

/** Response to a command; an empty object when the command returns no data. */
export type Answer = JsonObject;

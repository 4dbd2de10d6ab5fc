import type { CustomProxy } from '#browsers/index.ts';

/** A message between two processes: a command or its response, with encrypted content. */
export interface BusMessage {
  readonly kind: 'command' | 'answer';
  /** Id of the command. The response to a command has the id of the command. */
  readonly id: string;
  /** Id of the process that has sent the message and receives the response. */
  readonly from: string;
  readonly sealed: string;
}

/** Message bus between the processes of a service. Each message is delivered at most once. */
export interface WorkerBus {
  /** Resolves to true when the message is stored durably, and to false when the receiver does not exist. */
  send(to: string, message: BusMessage): Promise<boolean>;
  /** Starts to receive the messages to this process. */
  listen(self: string, hear: (message: BusMessage) => void): Promise<void>;
  /** Removes the messages to a dead process. */
  forget(dead: string): Promise<void>;
  /** Stops receiving, and removes the queue of this process. */
  close(): Promise<void>;
}

/** Commands for the owner of a session. A command may be sent twice or arrive late, so handlers check the row first. */
export type SessionCommand =
  /** Starts a created session. */
  | { readonly op: 'start'; readonly sessionId: string; readonly runProxy: CustomProxy | null }
  /** Executes a dispatched run, at most once. */
  | { readonly op: 'run'; readonly sessionId: string; readonly runId: string; readonly runProxy: CustomProxy | null }
  | { readonly op: 'stop'; readonly sessionId: string; readonly strategy: 'session' | 'task' }
  | { readonly op: 'stopRun'; readonly sessionId: string; readonly runId: string }
  /** Interrupts the running task because of a queued message. */
  | { readonly op: 'cut'; readonly sessionId: string; readonly messageId: number }
  | { readonly op: 'remove'; readonly sessionId: string }
  | { readonly op: 'purge'; readonly sessionId: string }
  /** Releases the profile lock for another session or browser, if possible. */
  | { readonly op: 'yieldSession'; readonly sessionId: string }
  /** Releases an idle session, so that another worker can own it. */
  | { readonly op: 'handOver'; readonly sessionId: string }
  | { readonly op: 'crash'; readonly sessionId: string };

/** Commands that only the owner of a standalone browser can execute. */
export type BrowserCommand =
  | { readonly op: 'begin'; readonly browserId: string }
  | { readonly op: 'stopBrowser'; readonly browserId: string }
  | { readonly op: 'placeUpload'; readonly browserId: string; readonly fileId: string }
  | { readonly op: 'yieldBrowser'; readonly browserId: string }
  /** Releases ownership, if the browser has no running Chromium. */
  | { readonly op: 'giveUp'; readonly browserId: string };

/** All commands between processes. */
export type Command = SessionCommand | BrowserCommand;

/** Returns whether a command is for a session; otherwise it is for a standalone browser. */
export function isSessionCommand(command: Command): command is SessionCommand {
  return 'sessionId' in command;
}

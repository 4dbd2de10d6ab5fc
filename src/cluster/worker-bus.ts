import type { CustomProxy } from '#browsers/index.ts';

/** A message between two processes: a command, or the answer to one. What it says is sealed. */
export interface BusMessage {
  readonly kind: 'command' | 'answer';
  /** Of the command. */
  readonly id: string;
  /** Sender, which receives the response. */
  readonly from: string;
  readonly sealed: string;
}

/** Carries messages between the processes of a service, each at most once. */
export interface WorkerBus {
  /** Settles when the message is durable; false when there is no such receiver any more. */
  send(to: string, message: BusMessage): Promise<boolean>;
  /** Hears what is sent to this process from now on. */
  listen(self: string, hear: (message: BusMessage) => void): Promise<void>;
  /** Removes what is kept for a process that is dead. */
  forget(dead: string): Promise<void>;
  /** Hears nothing any more, and is forgotten. */
  close(): Promise<void>;
}

/** Commands for the owner of a session. They may arrive twice or late, so handlers check the row first. */
export type SessionCommand =
  /** Bring a created session to life. */
  | { readonly op: 'start'; readonly sessionId: string; readonly runProxy: CustomProxy | null }
  /** Work on a task that was dispatched; never twice. */
  | { readonly op: 'run'; readonly sessionId: string; readonly runId: string; readonly runProxy: CustomProxy | null }
  | { readonly op: 'stop'; readonly sessionId: string; readonly strategy: 'session' | 'task' }
  | { readonly op: 'stopRun'; readonly sessionId: string; readonly runId: string }
  /** End the task that runs for a message that waits. */
  | { readonly op: 'cut'; readonly sessionId: string; readonly messageId: number }
  | { readonly op: 'remove'; readonly sessionId: string }
  | { readonly op: 'purge'; readonly sessionId: string }
  /** Release the profile for another session or browser, if possible. */
  | { readonly op: 'yieldSession'; readonly sessionId: string }
  /** Give an idle session up, so that another worker can have it. */
  | { readonly op: 'handOver'; readonly sessionId: string }
  | { readonly op: 'crash'; readonly sessionId: string };

/** What only the owner of a standalone browser can do. */
export type BrowserCommand =
  | { readonly op: 'begin'; readonly browserId: string }
  | { readonly op: 'stopBrowser'; readonly browserId: string }
  | { readonly op: 'placeUpload'; readonly browserId: string; readonly fileId: string }
  | { readonly op: 'yieldBrowser'; readonly browserId: string }
  /** Let another process have it, if no Chromium of it runs. */
  | { readonly op: 'giveUp'; readonly browserId: string };

/** All commands between processes. */
export type Command = SessionCommand | BrowserCommand;

/** Whether a command is about a session; else it is about a standalone browser. */
export function isSessionCommand(command: Command): command is SessionCommand {
  return 'sessionId' in command;
}

/** A message between two processes: a command, or the answer to one. What it says is sealed. */
export interface BusMessage {
  readonly kind: 'command' | 'answer';
  /** Of the command. */
  readonly id: string;
  /** Who sent it, and gets the answer. */
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

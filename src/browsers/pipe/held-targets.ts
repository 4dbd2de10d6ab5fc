/** A client's request to resume a target, kept until all guardians have prepared it. */
export interface GoOn<Client> {
  readonly client: Client;
  /** The client's session with the target. */
  readonly sessionId: string;
  /** Lets the target go on. */
  readonly forward: () => void;
  /** The session is gone: there is nothing to go on. */
  readonly refuse: () => void;
}

interface Held<Client> {
  readonly type: string;
  readonly sessions: Set<string>;
  /** Guardians that have prepared it. */
  readonly told: Set<Client>;
  waiting: GoOn<Client>[];
}

/**
 * Keeps new targets paused for their guardians. In Chromium the first client that resumes a target resumes it for all,
 * so a popup could navigate before it is checked. Resume requests are therefore forwarded only after every guardian of
 * that target type has sent its own.
 */
export class HeldTargets<Client> {
  readonly #guardians = new Map<Client, readonly string[]>();
  readonly #targets = new Map<string, Held<Client>>();
  /** Targets by the sessions that clients have with them. */
  readonly #bySession = new Map<string, Held<Client>>();

  /** From now on targets of these types wait for the client; it has to attach to each of them by itself, and let each go on. */
  guard(client: Client, types: readonly string[]): void {
    this.#guardians.set(client, types);
  }

  /** A client has a session with a target. */
  attached(sessionId: string, { targetId, type }: { readonly targetId: string; readonly type: string }): void {
    const held = this.#targets.get(targetId) ?? { type, sessions: new Set(), told: new Set(), waiting: [] };
    this.#targets.set(targetId, held);
    held.sessions.add(sessionId);
    this.#bySession.set(sessionId, held);
  }

  /** A session has ended. */
  detached(sessionId: string): void {
    const held = this.#bySession.get(sessionId);
    if (held === undefined) return;
    this.#bySession.delete(sessionId);
    held.sessions.delete(sessionId);
    const gone = held.waiting.filter((wish) => wish.sessionId === sessionId);
    held.waiting = held.waiting.filter((wish) => wish.sessionId !== sessionId);
    for (const { refuse } of gone) refuse();
    if (held.sessions.size > 0) return;
    for (const [targetId, target] of this.#targets) if (target === held) this.#targets.delete(targetId);
  }

  /** A client lets the target of one of its sessions go on: now, or when the last guardian has. */
  goOn(wish: GoOn<Client>): void {
    const held = this.#bySession.get(wish.sessionId);
    if (held === undefined) return wish.forward();
    if (this.#guardians.has(wish.client)) held.told.add(wish.client);
    held.waiting.push(wish);
    this.#release(held);
  }

  /** A client has left, and what it wanted with it. */
  left(client: Client): void {
    this.#guardians.delete(client);
    for (const held of this.#targets.values()) {
      held.told.delete(client);
      held.waiting = held.waiting.filter((wish) => wish.client !== client);
      this.#release(held);
    }
  }

  #release(held: Held<Client>): void {
    for (const [guardian, types] of this.#guardians) if (types.includes(held.type) && !held.told.has(guardian)) return;
    const ready = held.waiting;
    held.waiting = [];
    for (const { forward } of ready) forward();
  }
}

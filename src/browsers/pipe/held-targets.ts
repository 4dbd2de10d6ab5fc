/**
 * A client's request to resume a new, paused target. It is held until all guardians have prepared the target. A
 * guardian is a client that has registered to prepare targets of this type.
 */
export interface GoOn<Client> {
  readonly client: Client;
  /** The client's session with the target. */
  readonly sessionId: string;
  /** Forwards the request to the browser. */
  readonly forward: () => void;
  /** Answers the request with an error, because the client's session with the target has ended. */
  readonly refuse: () => void;
}

interface Held<Client> {
  readonly type: string;
  readonly sessions: Set<string>;
  /** Guardians that have prepared the target. */
  readonly told: Set<Client>;
  waiting: GoOn<Client>[];
}

/**
 * Keeps new targets paused until their guardians have prepared them. In Chromium, the first client that resumes a
 * target resumes it for all clients, so a popup could navigate before it is checked. A request to resume is therefore
 * forwarded only after every guardian of this target type has sent such a request.
 */
export class HeldTargets<Client> {
  readonly #guardians = new Map<Client, readonly string[]>();
  readonly #targets = new Map<string, Held<Client>>();
  /** Targets by the ids of client sessions. */
  readonly #bySession = new Map<string, Held<Client>>();

  /**
   * Registers a client as guardian of later targets of these types. The client must attach to each such target and
   * resume it.
   */
  guard(client: Client, types: readonly string[]): void {
    this.#guardians.set(client, types);
  }

  /** Records a client's session with a target. */
  attached(sessionId: string, { targetId, type }: { readonly targetId: string; readonly type: string }): void {
    const held = this.#targets.get(targetId) ?? { type, sessions: new Set(), told: new Set(), waiting: [] };
    this.#targets.set(targetId, held);
    held.sessions.add(sessionId);
    this.#bySession.set(sessionId, held);
  }

  /** Records the end of a client's session with a target. Refuses requests of this session that are still held. */
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

  /**
   * Handles a client's request to resume a target. Holds the request until all guardians of the target have sent
   * such a request; then forwards all held requests.
   */
  goOn(wish: GoOn<Client>): void {
    const held = this.#bySession.get(wish.sessionId);
    if (held === undefined) return wish.forward();
    if (this.#guardians.has(wish.client)) held.told.add(wish.client);
    held.waiting.push(wish);
    this.#release(held);
  }

  /**
   * Removes a client, its guarded types and its held requests. Resumes the targets that waited only for this client.
   */
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

import { randomUUID } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { type JsonObject, isJsonObject, toText } from '../core/json.ts';

/** The part of a page's global object that the suite uses. */
interface FakeScope {
  location: { hash: string; href?: string; protocol: string };
  document?: { readyState: string; body: { innerText: string } };
}

/** A page: a script context with a URL. */
interface FakePage {
  id: string;
  scope: FakeScope;
}

/** Pages of a fake browser with stored values, and the CDP commands that open them and evaluate scripts. */
export class FakePages {
  private readonly sessions = new Map<string, FakePage>();
  private pages = new Map<string, FakePage>();
  private exit: JsonObject;

  /** Creates the pages of a browser whose requests leave through the proxy `exit`. */
  constructor(exit: JsonObject = {}) {
    this.exit = exit;
  }

  /** Sends further requests through another proxy. */
  leaveThrough(exit: JsonObject): void {
    this.exit = exit;
  }

  /** Returns true if no page is open. */
  get isEmpty(): boolean {
    return this.pages.size === 0;
  }

  /** Removes every page. */
  clear(): void {
    this.pages = new Map();
  }

  /** Opens a page for a new client if none is open. */
  offerPage(): void {
    if (this.pages.size === 0) this.createPage();
  }

  /** Returns the reply to a command: the id of the command, with `result` or `error`. */
  reply({ id = null, method, params, sessionId }: JsonObject): JsonObject {
    const session = sessionId === undefined ? {} : { sessionId };
    const result = this.answer(toText(method), isJsonObject(params) ? params : {}, toText(sessionId));
    if (result !== undefined) return { id, ...session, result };
    return { id, ...session, error: { code: -32_601, message: `'${toText(method)}' wasn't found` } };
  }

  private answer(method: string, params: JsonObject, sessionId: string): JsonObject | undefined {
    const methods: Record<string, () => JsonObject> = {
      'Browser.getVersion': () => ({ product: 'Fake/1' }),
      'Browser.close': () => ({}),
      'Target.getTargets': () => ({ targetInfos: [...this.pages.values()].map((page) => toTargetInfo(page)) }),
      'Target.createTarget': () => ({ targetId: this.createPage() }),
      'Target.attachToTarget': () => ({ sessionId: this.attachTo(toText(params['targetId'])) }),
      'Target.closeTarget': () => ({ success: this.pages.delete(toText(params['targetId'])) }),
      'Target.detachFromTarget': () => ({}),
      'Runtime.evaluate': () => this.evaluate(sessionId, toText(params['expression'])),
    };
    return methods[method]?.();
  }

  private async visit(scope: FakeScope, address: URL): Promise<void> {
    scope.location.hash = address.hash;
    scope.location.protocol = address.protocol;
    scope.document = { readyState: 'loading', body: { innerText: '' } };
    try {
      const response = await fetch(address, { headers: { 'x-fake-exit': JSON.stringify(this.exit) } });
      scope.document = { readyState: 'complete', body: { innerText: await response.text() } };
    } catch {
      // The error page of an unreachable URL.
      scope.location.protocol = 'chrome-error:';
    }
  }

  private createPage(): string {
    const scope: FakeScope = { location: { hash: '', protocol: 'about:' } };
    createContext(scope);
    const id = randomUUID();
    this.pages.set(id, { id, scope });
    return id;
  }

  private attachTo(targetId: string): string {
    const page = this.pages.get(targetId);
    const sessionId = randomUUID();
    if (page !== undefined) this.sessions.set(sessionId, page);
    return sessionId;
  }

  private evaluate(sessionId: string, expression: string): JsonObject {
    const page = this.sessions.get(sessionId);
    if (page === undefined) return { exceptionDetails: { text: 'the page is gone' } };
    let value: unknown;
    try {
      value = runInContext(expression, page.scope);
    } catch (error) {
      return { exceptionDetails: { text: String(error) } };
    }
    const { href } = page.scope.location;
    if (href !== undefined && page.scope.location.protocol === 'about:') void this.visit(page.scope, new URL(href));
    return { result: { type: typeof value, value: String(value) } };
  }
}

function toTargetInfo({ id, scope }: FakePage): JsonObject {
  return { targetId: id, type: 'page', url: `about:blank#${scope.location.hash}` };
}

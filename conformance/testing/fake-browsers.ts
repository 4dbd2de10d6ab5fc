import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { type JsonObject, type JsonValue, toText } from '../core/json.ts';
import { type BrowserWorld, FakeBrowser } from './fake-browser.ts';
import type { Reply } from './fake-rules.ts';
import type { Fault } from './faults.ts';

const notFound: Reply = { status: 404, body: { detail: 'Session not found' } };
const hourMs = 3_600_000;
/** Unit in which a fault counts the time for which a browser was created. */
const smallUnitMs = 10;

/** The standalone browsers of a fake service: their operations and CDP URLs. */
export class FakeBrowsers {
  private readonly world: BrowserWorld;
  private readonly browsers = new Map<string, FakeBrowser>();
  private readonly sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });

  constructor(world: BrowserWorld) {
    this.world = world;
  }

  /** Returns the number of browsers that have not ended. */
  alive(): number {
    return [...this.browsers.values()].filter(({ alive }) => alive).length;
  }

  /** Returns the injected fault that refuses a valid body; undefined without such a fault. */
  refusal(body: JsonObject): string | undefined {
    const country = body['proxyCountryCode'];
    const refusals: readonly (readonly [Fault, boolean])[] = [
      ['browser without country refused', country === undefined],
      ['country us refused', country === 'us'],
      ['country null refused', country === null],
      ['listed country refused', typeof country === 'string' && country !== 'us'],
    ];
    return refusals.find(([fault, holds]) => holds && this.world.has(fault))?.[0];
  }

  create(owner: string, request: JsonObject): Reply {
    const country = request['proxyCountryCode'];
    const browser = new FakeBrowser(owner, this.world, { exit: this.chooseExit(country), request });
    browser.isProxied = country !== null || this.world.has('null pays for the proxy');
    browser.country = country === undefined ? 'us' : country;
    this.disturbOthers(browser);
    this.browsers.set(browser.id, browser);
    const members: [string, JsonValue, Fault][] = [
      ['id', this.world.has('browser id is another') ? randomUUID() : this.shownId(browser), 'browser without id'],
      ['cdpUrl', this.getCdpUrl(browser), 'browser without cdpUrl'],
    ];
    const isBare = 'browserScreenWidth' in request && this.world.has('browser with a screen size without cdpUrl');
    const carried = members.filter(([name, , fault]) => !this.world.has(fault) && !(isBare && name === 'cdpUrl'));
    const body = { status: 'active', ...Object.fromEntries(carried.map(([name, value]) => [name, value])) };
    return { status: this.world.does('creation answers 200') ? 200 : 201, body };
  }

  /** Applies the faults by which a new browser affects the browsers that its project has already. */
  private disturbOthers({ owner, country }: FakeBrowser): void {
    const isForeign = country !== null && country !== 'us';
    const ends: readonly (readonly [Fault, boolean])[] = [
      ['browser ends with a newer one in its country', true],
      ['foreign browser ends with a newer one', isForeign],
      ['browser without a proxy ends with a newer one', country === null],
    ];
    const isEnding = ends.some(([fault, holds]) => holds && this.world.has(fault));
    const isCutting = isForeign && this.world.has('newer foreign browser cuts the clients off');
    for (const other of this.browsers.values()) {
      if (other.owner !== owner || other.country !== country || !other.alive) continue;
      if (isEnding) other.stop(this.world.now());
      if (isCutting) other.die();
    }
  }

  private chooseExit(country: JsonValue | undefined): JsonObject {
    if (country === null && !this.world.has('null keeps the managed proxy')) return { country: 'DE', ip: '192.0.2.1' };
    const home = this.world.has('another default country') && country === undefined ? 'fr' : 'us';
    const shown = this.world.has('country ignored') ? home : (country ?? home);
    return { country: toText(shown).toUpperCase(), ip: '198.51.100.7' };
  }

  get(id: string, key: string): Reply {
    const browser = this.find(id, key, 'other project reads browsers');
    if (browser === undefined) return notFound;
    const isActive = browser.isRevived && this.world.has('stopped browser becomes active again');
    return { status: 200, body: { ...this.renderRecord(browser), ...(isActive ? { status: 'active' } : {}) } };
  }

  list(key: string): Reply {
    const open = this.world.has('other project lists browsers');
    const seen = [...this.browsers.values()].filter(({ owner }) => open || owner === key);
    return { status: 200, body: { items: seen.map((browser) => this.renderRecord(browser)) } };
  }

  stop(id: string, key: string): Reply {
    const browser = this.find(id, key, 'other project stops browsers');
    if (browser === undefined) return notFound;
    if (this.world.has('browser stop refused')) return { status: 405, body: { detail: 'Method Not Allowed' } };
    if (browser.stoppedAt !== undefined && this.world.does('second stop is refused'))
      return { status: 409, body: { detail: 'Stopped' } };
    this.noteStop(browser);
    browser.stop(this.world.now() + (this.world.does('stop takes a moment') ? 10 : 0));
    if (this.world.does('stop answers 204')) return { status: 204 };
    const other = this.world.has('stop answers another id') ? { id: randomUUID() } : {};
    return {
      status: this.world.does('stop answers 202') ? 202 : 200,
      body: { ...this.renderRecord(browser), ...other },
    };
  }

  private noteStop(stopped: FakeBrowser): void {
    const isOver = stopped.stoppedAt !== undefined || this.world.now() - stopped.createdAt >= hourMs;
    if (isOver && this.world.has('stop of an ended browser refunds all')) stopped.isRefunded = true;
    if (stopped.stoppedAt !== undefined) stopped.isRecharged = this.world.has('second stop takes the refund back');
    else if (this.world.has('refund is that of the newest browser'))
      stopped.refundedMinutes = [...this.browsers.values()].at(-1)?.minutes;
    for (const other of this.browsers.values()) other.isRevived ||= other !== stopped && other.stoppedAt !== undefined;
  }

  /** Stops every browser. */
  stopAll(): void {
    for (const browser of this.browsers.values()) browser.stop(this.world.now());
  }

  /**
   * Handles a request for `/json/version` below the CDP origin of a browser: returns the WebSocket URL of the browser.
   */
  discover(token: string): Reply {
    const browser = [...this.browsers.values()].find((one) => one.token === token);
    if (browser === undefined || !browser.open) return notFound;
    return { status: 200, body: { Browser: 'Fake/1', webSocketDebuggerUrl: this.getSocketUrl(browser) } };
  }

  /** Connects a client to a browser, or rejects it with status 404. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
    const browser = [...this.browsers.values()].find(({ token }) => pathname.endsWith(token));
    if (browser !== undefined) this.passTime(browser);
    const refused = this.world.has('Puppeteer not served') && searchParams.get('client') === 'puppeteer';
    const keyed = !this.world.does('CDP address carries the key') || searchParams.get('key') === browser?.owner;
    if (browser === undefined || !browser.open || refused || !keyed || this.isDead(browser)) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    this.sockets.handleUpgrade(request, socket, head, (client) => browser.attach(client));
  }

  /** Returns true if a fault keeps clients from the CDP URL of a browser. */
  private isDead({ isProxied }: FakeBrowser): boolean {
    return this.world.has('dead CDP address') || (!isProxied && this.world.has('dead CDP address without a proxy'));
  }

  /** Ends every browser and every connection. */
  close(): void {
    for (const browser of this.browsers.values()) browser.die();
    this.sockets.close();
  }

  private find(id: string, key: string, leak: Fault): FakeBrowser | undefined {
    const browser = this.browsers.get(id);
    if (browser === undefined || (browser.owner !== key && !this.world.has(leak))) return undefined;
    this.passTime(browser);
    return browser;
  }

  private passTime(browser: FakeBrowser): void {
    const livedMs = this.world.now() - browser.createdAt;
    if (browser.isRecorded && livedMs > 20 && this.world.has('recorded browser ends with time'))
      browser.stop(this.world.now());
    const isOver = browser.minutes < 60 && livedMs > browser.minutes * smallUnitMs;
    if (isOver && this.world.has('timeout of a browser counted in a smaller unit')) browser.stop(this.world.now());
    if (this.world.has('browser ends with time') && livedMs > hourMs) browser.die();
  }

  private renderRecord(browser: FakeBrowser): JsonObject {
    const { stoppedAt } = browser;
    const stopped = stoppedAt !== undefined && this.world.now() >= stoppedAt;
    const ended = this.world.has('browser ends with a run') && this.world.hasEndedJob();
    const shown = (stopped && !this.world.has('stopped browser reads as active')) || ended;
    const keeps = !shown || this.world.does('stopped browser keeps its address');
    const status = this.world.does('records show no status') ? {} : { status: shown ? 'stopped' : 'active' };
    const cdpUrl = this.world.has('browser record without cdpUrl')
      ? {}
      : { cdpUrl: keeps ? this.getCdpUrl(browser) : null };
    const proxyCountryCode =
      typeof browser.country === 'string' && this.world.has('record shows another country') ? 'fr' : browser.country;
    return { id: this.shownId(browser), ...status, ...cdpUrl, proxyCountryCode, ...this.computeCosts(browser) };
  }

  /**
   * Returns the costs: for the browser two cents an hour, in whole minutes, at least one; for the managed proxy a fixed
   * amount.
   */
  private computeCosts(browser: FakeBrowser): JsonObject {
    const { createdAt, isProxied, minutes: booked, refundedMinutes } = browser;
    const fixed = this.findFixedCost(browser);
    if (fixed !== undefined) return { browserCost: fixed, proxyCost: '0' };
    const secondly = this.world.has('stopped browser is billed by the second') ? this.world.now() - createdAt : 0;
    const unrefunded = booked - (refundedMinutes ?? booked);
    const usd = (0.02 * (this.countMinutes(browser) + unrefunded)) / 60 + secondly / 1_000_000;
    return { browserCost: usd.toFixed(6), proxyCost: isProxied ? '0.0005' : '0' };
  }

  /** Returns the minutes that a browser is billed for, without those that a fault takes from another browser. */
  private countMinutes({ createdAt, stoppedAt, minutes: booked }: FakeBrowser): number {
    const billedUntil = this.world.has('billing goes on after the stop') ? undefined : stoppedAt;
    const used = Math.ceil(((billedUntil ?? this.world.now()) - createdAt) / 60_000);
    const minutes = Math.max(this.world.has('unused time is charged') ? 60 : 1, used);
    return this.world.has('only whole hours of a browser are refunded') ? minutes + ((booked - minutes) % 60) : minutes;
  }

  /** Returns a cost that does not follow the life of the browser: 0 or the booked time; undefined in most cases. */
  private findFixedCost({ stoppedAt, isRefunded, isRecharged, minutes }: FakeBrowser): string | undefined {
    const restedMs = this.world.now() - (stoppedAt ?? -Infinity);
    if (isRefunded || (restedMs < 60 && this.world.does('cost of a stopped browser appears late'))) return '0';
    const isPrepaid = stoppedAt === undefined && this.world.has('second stop takes the refund back');
    return isPrepaid || isRecharged ? ((0.02 * minutes) / 60).toFixed(6) : undefined;
  }

  private shownId({ id }: FakeBrowser): JsonValue {
    return this.world.does('browser ids are numbers') ? Number(id) : id;
  }

  private getCdpUrl(browser: FakeBrowser): string {
    if (this.world.does('CDP address is an origin')) return `${this.world.url}/cdp/${browser.token}`;
    return this.getSocketUrl(browser);
  }

  private getSocketUrl({ token, owner }: FakeBrowser): string {
    const key = this.world.does('CDP address carries the key') ? `?key=${owner}` : '';
    return `${this.world.url.replace(/^http/, 'ws')}/devtools/browser/${token}${key}`;
  }
}

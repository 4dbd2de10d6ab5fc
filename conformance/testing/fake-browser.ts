import { randomInt, randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { type JsonObject, type JsonValue, isJsonObject, parseJson } from '../core/json.ts';
import { FakePages } from './fake-pages.ts';
import type { Fault, AllowedVariation } from './faults.ts';

/** Dependencies of a browser of the fake service. */
export interface BrowserWorld {
  /** URL of the service. */
  url: string;
  now(): number;
  has(fault: Fault): boolean;
  does(habit: AllowedVariation): boolean;
  /** Returns true if a task or run has ended. */
  hasEndedJob(): boolean;
}

/** One browser of the fake service: pages with stored values, and the CDP commands that the raw client uses. */
export class FakeBrowser {
  readonly id: string;
  /** Secret part of the CDP URL. */
  token: string = randomUUID();
  readonly owner: string;
  readonly createdAt: number;
  /** Time in ms from which a read shows the browser as stopped; undefined before the stop. */
  stoppedAt: number | undefined;
  /** Country that the records show; null without the managed proxy. */
  country: JsonValue = 'us';
  /** False if the browser was created without the managed proxy of the service. */
  isProxied = true;
  /**
   * True if another browser was stopped after this browser. With the fault `stopped browser becomes active again`, this
   * browser is then shown as active.
   */
  isRevived = false;
  /** Minutes for which the browser was created. */
  readonly minutes: number;
  /** True if a fault has charged the refund again. */
  isRecharged = false;
  /** Minutes of the browser whose unused time a fault refunds in place of its own; undefined without the fault. */
  refundedMinutes: number | undefined;
  /** True if the browser is recorded. */
  readonly isRecorded: boolean;
  /** True if a fault has refunded all costs, including those of the used time. */
  isRefunded = false;
  /** True after a client has opened a page. */
  private hasOpened = false;
  private readonly world: BrowserWorld;
  private readonly sockets = new Set<WebSocket>();
  private readonly pages: FakePages;
  private dead = false;
  private attached = 0;
  /** True after the first stop request. */
  private isAsked = false;
  private readonly exit: JsonObject;

  constructor(owner: string, world: BrowserWorld, { exit, request }: { exit: JsonObject; request: JsonObject }) {
    this.minutes = typeof request['timeout'] === 'number' ? request['timeout'] : 60;
    this.isRecorded = request['enableRecording'] === true;
    this.pages = new FakePages(exit);
    this.exit = exit;
    this.id = world.does('browser ids are numbers') ? String(randomInt(1, 1_000_000_000)) : randomUUID();
    this.owner = owner;
    this.createdAt = world.now();
    this.world = world;
  }

  /** Returns false if a new client is rejected. */
  get open(): boolean {
    if (this.stoppedAt !== undefined && this.world.has('CDP address outlives the browser')) return true;
    if (this.world.has('one CDP client at a time') && this.sockets.size > 0) return false;
    return !this.dead && !(this.stoppedAt !== undefined && this.world.has('stopped browser is still driven'));
  }

  /** Attaches a client. */
  attach(socket: WebSocket): void {
    this.sockets.add(socket);
    this.attached += 1;
    if (this.isProxied && this.world.does('proxy addresses rotate'))
      this.pages.leaveThrough({ ...this.exit, ip: `198.51.100.${10 + this.attached}` });
    const fault = this.isProxied ? 'country is us after a reconnect' : 'null is proxied after a reconnect';
    if (this.attached > 1 && this.world.has(fault)) this.pages.leaveThrough({ country: 'US', ip: '198.51.100.7' });
    if (this.world.does('CDP address works once')) this.token = randomUUID();
    if (this.world.has('browser is new at each connection')) this.pages.clear();
    this.pages.offerPage();
    socket.on('message', (data: Buffer) => this.receive(socket, parseJson(data.toString())));
    socket.on('close', (code) => {
      this.sockets.delete(socket);
      const dropped = code === 1006;
      if (this.hasOpened && this.world.has('browser ends when a client leaves its page')) this.stop(this.world.now());
      if (this.world.has(dropped ? 'browser ends when a connection drops' : 'browser ends when a client leaves'))
        this.die();
    });
  }

  /** Executes the stop operation. */
  stop(now: number): void {
    if (this.world.has('browser stop does nothing')) return;
    if (this.isRecorded && this.world.has('recorded browser is not stopped')) return;
    const isFirst = !this.isAsked;
    this.isAsked = true;
    if (isFirst && this.attached === 0 && this.world.has('first stop of an unused browser does nothing')) return;
    this.stoppedAt ??= now;
    if (!this.world.has('stopped browser is still driven')) this.die();
  }

  /** Ends the browser and every connection. */
  die(): void {
    this.dead = true;
    for (const socket of this.sockets) socket.terminate();
  }

  /** Returns true until the browser ends. */
  get alive(): boolean {
    return !this.dead;
  }

  private receive(socket: WebSocket, message: JsonValue | undefined): void {
    if (!isJsonObject(message)) return;
    socket.send(JSON.stringify(this.pages.reply(message)));
    this.hasOpened ||= message['method'] === 'Target.createTarget';
    if (this.pages.isEmpty && this.world.has('browser ends with its last page')) this.die();
    if (message['method'] !== 'Browser.close') return;
    if (this.world.has('browser ends at Browser.close')) this.die();
    else socket.close();
  }
}

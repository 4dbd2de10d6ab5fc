import { randomUUID } from 'node:crypto';
import { type JsonObject, type JsonValue, toText } from '../core/json.ts';
import type { Fault } from './faults.ts';

type Has = (fault: Fault) => boolean;

interface FakeEvent {
  id: number;
  type: string;
  data: JsonObject;
}

const words = {
  task: { waits: 'created', works: 'started', done: 'finished', stopped: 'stopped' },
  run: { waits: 'queued', works: 'running', done: 'completed', stopped: 'cancelled' },
} as const;

/** Number of events on a page: small, so that every run needs several pages. */
const pageSize = 2;

/** Number of reads after which a slow run ends, if the fault "reads end runs" is active. */
const readsMax = 4;

/** One V2 task or V4 run that advances one step with every fetch after the first, so that no test has to wait. */
export class FakeJob {
  readonly id: string = randomUUID();
  readonly kind: 'task' | 'run';
  /** Country from which the browser of the job sends requests. */
  country = 'US';
  /** Total cost in US dollars. */
  cost = '0.01';
  private readonly has: Has;
  private readonly task: string;
  private status: string;
  private looks = 0;
  private looksAfterEnd = 0;
  private steps = 0;
  private isStoppedLate = false;
  private readonly events: FakeEvent[] = [];

  constructor(kind: 'task' | 'run', task: JsonValue | undefined, has: Has) {
    this.kind = kind;
    this.has = has;
    this.task = toText(task);
    this.status = words[kind].waits;
    this.happen('run.created');
  }

  get ended(): boolean {
    return this.status === words[this.kind].done || this.status === words[this.kind].stopped;
  }

  stop(): void {
    this.isStoppedLate ||= this.ended;
    if (this.ended || this.has(this.kind === 'run' ? 'cancel ignored' : 'V2 stop ignored')) return;
    this.status = words[this.kind].stopped;
    this.happen('run.cancelled');
  }

  /** Counts a fetch, advances the job and returns its record. The first fetch does not advance the job. */
  look(): JsonObject {
    this.looks += 1;
    if (this.ended) this.looksAfterEnd += 1;
    else this.step();
    return this.view();
  }

  /** Returns the current record. */
  view(): JsonObject {
    const again = this.kind === 'run' ? this.has('run goes on') && this.looksAfterEnd > 1 : this.startsAgain();
    const outcome = this.status === words[this.kind].done ? this.outcome() : null;
    return {
      id: this.id,
      status: again ? words[this.kind].works : this.status,
      ...(this.kind === 'task' ? { output: outcome, cost: this.cost } : { result: outcome, totalCostUsd: this.cost }),
    };
  }

  /** Returns one page of the events whose ids are greater than `after`. */
  page(after: number): JsonObject {
    const shown = this.shownEvents();
    const behind = shown.filter(({ id }) => (this.has('event cursor is included') ? id >= after : id > after));
    // A decreasing id would never appear after a cursor.
    const whole = this.has('events out of order') || this.has('one page of events');
    const size = whole ? behind.length : pageSize;
    const events = behind
      .slice(0, size)
      .map((event) => ({ ...event, data: { ...event.data, live_view_url: fresh() } }));
    return { events, nextAfter: events.at(-1)?.id ?? (after === 0 ? 0 : after), hasMore: behind.length > pageSize };
  }

  private startsAgain(): boolean {
    return this.has('V2 task goes on') && this.looksAfterEnd > 4;
  }

  private outcome(): JsonValue {
    if (this.has('no result') || (this.isStoppedLate && this.has('late stop clears the result'))) return null;
    if (this.has('result repeats the task')) return this.task;
    if (this.has('result changes')) return `Done ${this.looks}`;
    if (this.task.endsWith('/checker')) return `The page shows the country ${this.country}.`;
    const text = echoedWords(this.task) ?? 'Done';
    return this.kind === 'run' && this.has('result is cut at 64 bytes') ? text.slice(0, 64) : text;
  }

  private shownEvents(): FakeEvent[] {
    if (this.has('no events')) return [];
    if (this.has('events truncated')) return this.events.slice(-3);
    if (this.has('events rewritten'))
      return this.events.map((event) => ({ ...event, type: `${event.type}.${this.steps}` }));
    if (this.has('events inserted') && this.ended) return [{ id: 1, type: 'late', data: {} }, ...this.events];
    if (this.has('events out of order'))
      return this.events.map((event, index) => ({ ...event, id: index === 2 ? 11 : event.id }));
    return this.events;
  }

  private step(): void {
    if (this.looks === 1) return;
    if (this.status === words[this.kind].waits) {
      this.status = words[this.kind].works;
      this.happen('browser.ready');
      return;
    }
    if (this.kind === 'run' && this.looks > readsMax && this.task.includes('slow') && this.has('reads end runs')) {
      this.stop();
      return;
    }
    this.steps += 1;
    this.happen('agent.step');
    const never = this.has(this.kind === 'run' ? 'run never ends' : 'V2 task never ends');
    if (this.looks < 5 || this.task.includes('slow') || never) return;
    this.status = words[this.kind].done;
    this.happen('run.completed');
  }

  private happen(type: string): void {
    this.events.push({ id: 10 * (this.events.length + 1), type, data: {} });
  }
}

/** Returns the words with which a task asks its agent to end the answer; undefined if it asks for none. */
export function echoedWords(task: string): string | undefined {
  return /exactly these words: (.+)$/.exec(task)?.[1];
}

// A conforming service may sign URLs anew in every response.
function fresh(): string {
  return `http://127.0.0.1:1/live/${randomUUID()}`;
}

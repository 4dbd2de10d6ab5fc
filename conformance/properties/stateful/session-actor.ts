import { lifecycle } from '#generated/rules.ts';
import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import { type JsonObject, isJsonObject, memberAt, toText } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import { pathWithId } from '../../core/path-with-id.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import { sessionRecord } from '../../ledger/session-api.ts';
import { type TaskObservation, hasEnded } from '../../common/observed-session.ts';
import type { Actor } from './actor.ts';
import type { Act, Moment, Shown } from './moment.ts';
import { pickDefined, pickCounters } from './shown-parts.ts';
import { watchResource } from './watch.ts';

/** Language model that supports every thinking level, and is among the cheapest. */
const model = 'gemini-3-flash';

const words: readonly { name: string; kind: string }[] =
  lifecycle.machines.find((item) => item.machine === 'session')?.states ?? [];

/** Creates the actor that executes script actions on one V3 session. */
export function sessionActor(context: ScenarioContext): Actor {
  return new SessionActor(context);
}

class SessionActor implements Actor {
  private readonly context: ScenarioContext;
  private id = '';
  private isRemoved = false;
  private last: Shown | undefined;
  /** The last accepted task, for detecting its end. */
  private task: TaskObservation | undefined;

  constructor(context: ScenarioContext) {
    this.context = context;
  }

  async begin(word: string): Promise<Moment> {
    const [kind = '', variant] = word.split(':');
    const body = { task: this.goal(variant), model, keepAlive: kind === 'kept' };
    const exchange = await this.context.sessions.create({ body });
    if (!succeeded(exchange)) throw new NotTestable(`session creation ${describeAnswer(exchange)}`);
    this.id = this.context.sessions.readId(exchange);
    this.dispatched(exchange, body);
    return { word, act: 'create', exchange };
  }

  async act(action: string, word: string): Promise<Moment[]> {
    const { sessions, target } = this.context;
    const [name = '', variant] = action.split(':');
    switch (name) {
      case 'follow':
        return target.v3?.followUp === null ? [] : [await this.follow(variant, word)];
      case 'stop':
        return [{ word, act: 'stop', exchange: await sessions.stop(this.id) }];
      case 'stopTask':
        return this.stopTask(word);
      case 'remove':
        return this.remove(word);
      case 'list':
        return this.list(word);
      case 'wait':
        return this.wait(word);
      default:
        return this.look(word);
    }
  }

  async look(word: string): Promise<Moment[]> {
    const exchange = await this.context.sessions.get(this.id);
    const record = sessionRecord(exchange);
    if (record !== undefined && this.task !== undefined) {
      this.task.end = { exchange, record };
      this.task.fetches.push(this.task.end);
    }
    return [this.moment({ word, act: 'look', exchange, record })];
  }

  isOver(): boolean {
    return this.isRemoved || this.last?.phase === 'over';
  }

  async leave(): Promise<void> {
    const entry = this.context.ledger.find('session', this.id);
    if (entry !== undefined && !this.isRemoved) await this.context.resources.end(entry);
  }

  private async follow(variant: string | undefined, word: string): Promise<Moment> {
    const body = { task: this.goal(variant), keepAlive: true, ...levelMembers[variant ?? ''] };
    const exchange = await this.context.sessions.followUp(this.id, { body });
    if (succeeded(exchange)) {
      this.dispatched(exchange, body);
      this.revive();
    }
    return { word, act: 'dispatch', exchange };
  }

  // A session that accepts a task after its end is alive again, and must be ended once more.
  private revive(): void {
    const entry = this.context.ledger.find('session', this.id);
    if (entry?.state === 'ended') this.context.ledger.update(entry, { state: 'live' });
  }

  private async stopTask(word: string): Promise<Moment[]> {
    const key = 'v3.stopSession';
    if (this.context.target.operations === null || !this.context.operations.offers(key)) return [];
    const call = { path: [this.id], body: { strategy: 'task' } };
    return [{ word, act: 'stopTask', exchange: await this.context.operations.call(key, call) }];
  }

  private async remove(word: string): Promise<Moment[]> {
    const place = this.context.target.v3?.delete ?? null;
    if (place === null) return [];
    const path = pathWithId(place.path, this.id);
    const exchange = await this.context.send({
      generation: 'v3',
      operation: 'deleteSession',
      method: place.method,
      path,
    });
    const entry = this.context.ledger.find('session', this.id);
    if (succeeded(exchange)) {
      this.isRemoved = true;
      if (entry !== undefined) this.context.ledger.update(entry, { state: 'ended' });
    }
    return [{ word, act: 'remove', exchange }];
  }

  private async list(word: string): Promise<Moment[]> {
    const place = this.context.target.v3?.list ?? null;
    if (place === null) return [];
    const spec = { generation: 'v3', operation: 'listSessions', method: place.method, path: place.path } as const;
    const { moments } = await watchResource(this.context, {
      deadlineMs: this.context.target.polling.settleDeadlineMs,
      look: async () => [this.listMoment(word, await this.context.send(spec), place.items)],
      // A list may lag behind the record.
      isDone: (moment) => !this.isBehind(moment),
    });
    return moments.slice(-1);
  }

  private listMoment(word: string, exchange: Exchange, items: string): Moment {
    const rows = memberAt(exchange.json, items);
    const record = Array.isArray(rows) ? rows.filter(isJsonObject).find((row) => row['id'] === this.id) : undefined;
    const shown = record === undefined ? undefined : toShown(record);
    return { word, act: 'list', exchange, listed: record !== undefined, ...(shown === undefined ? {} : { shown }) };
  }

  private isBehind({ listed, shown }: Moment): boolean {
    if (this.isRemoved) return listed === true;
    return this.last?.phase === 'over' && shown?.phase === 'open';
  }

  private async wait(word: string): Promise<Moment[]> {
    const { task } = this;
    if (task === undefined || this.isOver()) return this.look(word);
    const { moments } = await watchResource(this.context, {
      deadlineMs: this.context.target.polling.taskDeadlineMs,
      look: () => this.look(word),
      isDone: ({ exchange }) => !succeeded(exchange) || hasEnded(task),
    });
    return moments;
  }

  private dispatched(dispatched: Exchange, request: JsonObject): void {
    const before = this.task?.end.record;
    const record = sessionRecord(dispatched) ?? {};
    const end = { exchange: dispatched, record };
    this.task = { request, dispatched, fetches: [], end, ...(before === undefined ? {} : { before }) };
  }

  private goal(variant: string | undefined): string {
    const { succeed, slow } = this.context.target.tasks;
    return variant === 'slow' ? (slow ?? succeed) : succeed;
  }

  private moment({ word, act, exchange, record }: Answer): Moment {
    const shown = record === undefined ? undefined : toShown(record);
    this.last = shown ?? this.last;
    return { word, act, exchange, ...(shown === undefined ? {} : { shown }) };
  }
}

interface Answer {
  word: string;
  act: Act;
  exchange: Exchange;
  record: JsonObject | undefined;
}

function toShown(record: JsonObject): Shown | undefined {
  const status = toText(record['status']);
  const kind = words.find(({ name }) => name === status)?.kind;
  const { output, isTaskSuccessful, createdAt, stepCount, totalCostUsd } = record;
  return {
    status,
    phase: toPhase(kind),
    settled: pickDefined({ output, isTaskSuccessful, createdAt }),
    counters: pickCounters({ stepCount, totalCostUsd }),
  };
}

/** Returns the phase of a state of the given kind; `unknown` for a state that the documents do not list. */
function toPhase(kind: string | undefined): Shown['phase'] {
  if (kind === undefined) return 'unknown';
  return kind === 'end' ? 'over' : 'open';
}

/** Members that set the level of a follow-up, by the variant of the command; no members for any other variant. */
const levelMembers: Readonly<Record<string, JsonObject>> = {
  null: { thinkingLevel: null },
  value: { thinkingLevel: 'low' },
};

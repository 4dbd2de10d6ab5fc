import { type Exchange, describeAnswer, succeeded } from '../../core/exchange.ts';
import type { JobApi } from '../../core/apis.ts';
import { type JobKind, type Phase, jobPhase } from '../../core/job-target.ts';
import { type JsonObject, identifier, isJsonObject, memberAt, toText } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { OperationKey } from '../../core/operations.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import { recordDeletedRun, readRunId } from '../../common/message-queue.ts';
import { runBody } from '../../common/probe-bodies.ts';
import type { Actor } from './actor.ts';
import type { Act, Moment, Shown } from './moment.ts';
import { pickDefined, pickCounters } from './shown-parts.ts';
import { watchResource } from './watch.ts';

/** Creates the actor that executes script actions on one V2 task or V4 run, and on its session. */
export function jobActor(context: ScenarioContext, kind: JobKind): Actor {
  return new JobActor(context, context.jobs[kind]);
}

class JobActor implements Actor {
  private readonly context: ScenarioContext;
  private readonly jobs: JobApi;
  private id = '';
  private sessionId: string | undefined;
  private isRemoved = false;
  private last: Shown | undefined;
  /** Ids of other tasks or runs of the session, created by a follow-up or from a message. */
  private readonly others: string[] = [];
  private readonly messages: string[] = [];

  constructor(context: ScenarioContext, jobs: JobApi) {
    this.context = context;
    this.jobs = jobs;
  }

  async begin(word: string): Promise<Moment> {
    const exchange = await this.jobs.create(this.buildBody(word === 'slow'));
    const id = this.jobs.readId(exchange);
    const { kind } = this.jobs.target();
    if (!succeeded(exchange) || id === undefined)
      throw new NotTestable(
        `creation of a ${kind} ${describeAnswer(exchange)}${id === undefined ? ' without an id' : ''}`,
      );
    this.id = id;
    this.sessionId = identifier(memberAt(exchange.json, 'sessionId'));
    return { word, act: 'create', exchange };
  }

  async act(action: string, word: string): Promise<Moment[]> {
    switch (action) {
      case 'stop':
        return [{ word, act: 'stop', exchange: await this.jobs.stop(this.id) }];
      case 'status':
        return [await this.lookAt({ id: this.id, view: 'status', act: 'look', word })];
      case 'wait':
        return this.wait(word);
      case 'list':
        return this.list(word);
      case 'again':
        return this.again(word);
      case 'message':
        return this.message(word);
      case 'takeBack':
        return this.takeBack(word);
      case 'remove':
        return this.remove(word);
      default:
        return this.look(word);
    }
  }

  async look(word: string): Promise<Moment[]> {
    const moments: Moment[] = [];
    for (const id of this.messages) moments.push(...(await this.readMessage(id, word)));
    for (const id of this.others) moments.push(await this.lookAt({ id, view: 'record', act: 'beside', word }));
    return [...moments, await this.lookAt({ id: this.id, view: 'record', act: 'look', word })];
  }

  isOver(): boolean {
    return this.isRemoved || this.last?.phase === 'over';
  }

  async leave(): Promise<void> {
    const ids = [this.id, ...this.others];
    const key = this.offered('deleteSession');
    // Waiting messages end with the session; without a session the jobs are ended one by one.
    if (this.sessionId !== undefined && key === 'v4.deleteSession') {
      await this.context.operations.call(key, { path: [this.sessionId] });
      for (const id of ids) await recordDeletedRun(this.context, id);
    }
    for (const id of ids) {
      const entry = this.context.ledger.find(this.jobs.target().kind, id);
      if (entry?.state === 'live') await this.context.resources.end(entry);
    }
  }

  private buildBody(isSlow: boolean): JsonObject {
    const { target } = this.context;
    const task = isSlow ? (target.tasks.slow ?? target.tasks.succeed) : target.tasks.succeed;
    return this.jobs.target().kind === 'run' ? runBody(target, task) : { task };
  }

  /**
   * Returns the key of the documented operation; undefined if this generation does not have it, or the target does not
   * offer it.
   */
  private offered(id: 'deleteSession' | 'createMessage' | 'getMessage' | 'deleteMessage'): OperationKey | undefined {
    const { target, operations } = this.context;
    const keys: readonly OperationKey[] =
      this.jobs.target().kind === 'run'
        ? ['v4.deleteSession', 'v4.createMessage', 'v4.getMessage', 'v4.deleteMessage']
        : ['v2.deleteSession'];
    const key = keys.find((one) => one.endsWith(`.${id}`));
    return key !== undefined && target.operations !== null && operations.offers(key) ? key : undefined;
  }

  private async lookAt({ id, view, act, word }: LookSpec): Promise<Moment> {
    const spec = this.jobs.request(view, id) ?? this.jobs.request('record', id) ?? this.jobs.request('status', id);
    if (spec === undefined) throw new NotTestable('the target names no way to look at it');
    const exchange = await this.context.send(spec);
    const shown = succeeded(exchange) && isJsonObject(exchange.json) ? this.toShown(exchange.json) : undefined;
    this.book(id, exchange, shown);
    if (id === this.id) this.last = shown ?? this.last;
    return { word, act, exchange, ...(shown === undefined ? {} : { shown }) };
  }

  private toShown(record: JsonObject): Shown {
    const job = this.jobs.target();
    return {
      status: toText(memberAt(record, job.statusIn)),
      phase: shownPhases[jobPhase(job, record)],
      settled: pickDefined({ result: job.resultIn === null ? undefined : memberAt(record, job.resultIn) }),
      counters: pickCounters({ cost: job.costIn === null ? undefined : memberAt(record, job.costIn) }),
    };
  }

  private book(id: string, { json }: Exchange, shown: Shown | undefined): void {
    const { kind, costIn } = this.jobs.target();
    const entry = this.context.ledger.find(kind, id);
    const costUsd = costIn === null ? undefined : memberAt(json, costIn);
    if (entry === undefined) return;
    this.context.ledger.update(entry, {
      ...(shown?.phase === 'over' ? { state: 'ended' } : {}),
      ...(typeof costUsd === 'string' ? { costUsd } : {}),
    });
  }

  private async wait(word: string): Promise<Moment[]> {
    const { moments } = await watchResource(this.context, {
      deadlineMs: this.context.target.polling.taskDeadlineMs,
      look: () => this.look(word),
      isDone: ({ exchange }) => !succeeded(exchange) || this.isOver(),
    });
    return moments;
  }

  private async list(word: string): Promise<Moment[]> {
    const spec = this.jobs.request('list', '');
    if (spec === undefined) return [];
    const { moments } = await watchResource(this.context, {
      deadlineMs: this.context.target.polling.settleDeadlineMs,
      look: async () => [this.listMoment(word, await this.context.send(spec))],
      // A list may lag behind the record.
      isDone: ({ listed, shown }) =>
        this.isRemoved ? listed !== true : !(this.last?.phase === 'over' && shown?.phase === 'open'),
    });
    return moments.slice(-1);
  }

  private listMoment(word: string, exchange: Exchange): Moment {
    const rows = memberAt(exchange.json, this.jobs.target().list?.items ?? '');
    const row = Array.isArray(rows) ? rows.filter(isJsonObject).find(({ id }) => id === this.id) : undefined;
    return {
      word,
      act: 'list',
      exchange,
      listed: row !== undefined,
      ...(row === undefined ? {} : { shown: this.toShown(row) }),
    };
  }

  private async again(word: string): Promise<Moment[]> {
    if (this.sessionId === undefined || this.offered('deleteSession') === undefined) return [];
    const exchange = await this.jobs.create({ ...this.buildBody(true), sessionId: this.sessionId });
    const id = succeeded(exchange) ? this.jobs.readId(exchange) : undefined;
    if (id !== undefined) this.others.push(id);
    return [{ word, act: 'dispatch', exchange }];
  }

  private async message(word: string): Promise<Moment[]> {
    const key = this.offered('createMessage');
    if (key === undefined || this.sessionId === undefined || this.offered('deleteSession') === undefined) return [];
    const body = { text: this.context.target.tasks.succeed };
    const exchange = await this.context.operations.call(key, { path: [this.sessionId], body });
    const id = succeeded(exchange) ? identifier(memberAt(exchange.json, 'id')) : undefined;
    if (id !== undefined) this.messages.push(id);
    return [{ word, act: 'queue', exchange }];
  }

  private async readMessage(id: string, word: string): Promise<Moment[]> {
    const key = this.offered('getMessage');
    if (key === undefined || this.sessionId === undefined) return [];
    const exchange = await this.context.operations.call(key, { path: [this.sessionId, id] });
    const runId = readRunId(exchange);
    if (runId !== undefined) this.bookRun(runId);
    return [{ word, act: 'queue', exchange }];
  }

  /** Adds the run of a message to the ledger and to `others`, unless the ledger has it. */
  private bookRun(runId: string): void {
    const { ledger } = this.context;
    if (ledger.find('run', runId) !== undefined) return;
    ledger.update(ledger.request({ kind: 'run', generation: 'v4', createdBy: 'createMessage' }), {
      state: 'live',
      id: runId,
    });
    this.others.push(runId);
  }

  private async takeBack(word: string): Promise<Moment[]> {
    const [key, id] = [this.offered('deleteMessage'), this.messages.at(-1)];
    if (key === undefined || id === undefined || this.sessionId === undefined) return [];
    return [
      { word, act: 'takeBack', exchange: await this.context.operations.call(key, { path: [this.sessionId, id] }) },
    ];
  }

  private async remove(word: string): Promise<Moment[]> {
    const key = this.offered('deleteSession');
    if (key === undefined || this.sessionId === undefined) return [];
    const exchange = await this.context.operations.call(key, { path: [this.sessionId] });
    if (succeeded(exchange)) this.isRemoved = true;
    return [{ word, act: 'remove', exchange }];
  }
}

interface LookSpec {
  id: string;
  view: 'record' | 'status';
  act: Act;
  word: string;
}

/** Phase of a moment for each phase of a task or run. */
const shownPhases: Readonly<Record<Phase, Shown['phase']>> = {
  pending: 'open',
  completed: 'over',
  ended: 'over',
  unknown: 'unknown',
};

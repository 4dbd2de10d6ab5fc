import { type Exchange, describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { identifier, isJsonObject, memberAt, toText } from '../../core/json.ts';
import type { JsonObject } from '../../core/json.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import type { Actor } from './actor.ts';
import type { Moment, Shown } from './moment.ts';
import { pickDefined } from './shown-parts.ts';
import { watchResource } from './watch.ts';

/** Creates the actor that executes script actions on one standalone browser. */
export function browserActor(context: ScenarioContext): Actor {
  return new BrowserActor(context);
}

class BrowserActor implements Actor {
  private readonly context: ScenarioContext;
  private id = '';
  private last: Shown | undefined;
  /**
   * True until a read shows the browser, and again after a refused read. While it is true, the end of the browser is
   * not awaited.
   */
  private isUnseen = true;

  constructor(context: ScenarioContext) {
    this.context = context;
  }

  async begin(word: string): Promise<Moment> {
    const exchange = await this.context.browsers.create({});
    const id = identifier(memberAt(exchange.json, 'id'));
    if (!succeeded(exchange) || id === undefined)
      throw new NotTestable(`browser creation ${describeAnswer(exchange)}${id === undefined ? ' without an id' : ''}`);
    this.id = id;
    return { word, act: 'create', exchange };
  }

  async act(action: string, word: string): Promise<Moment[]> {
    if (action === 'stop') return [{ word, act: 'stop', exchange: await this.context.browsers.stop(this.id) }];
    return action === 'list' ? this.list(word) : this.look(word);
  }

  async look(word: string): Promise<Moment[]> {
    const exchange = await this.context.browsers.get(this.id);
    if (exchange === undefined) return [];
    const shown = succeeded(exchange) && isJsonObject(exchange.json) ? this.toShown(exchange.json) : undefined;
    this.last = shown ?? this.last;
    if (shown !== undefined || refused(exchange)) this.isUnseen = shown === undefined;
    return [{ word, act: 'look', exchange, ...(shown === undefined ? {} : { shown }) }];
  }

  isOver(): boolean {
    return this.last?.phase === 'over' || this.isUnseen;
  }

  async leave(): Promise<void> {
    const entry = this.context.ledger.find('browser', this.id);
    if (entry?.state === 'live') await this.context.resources.end(entry);
  }

  private async list(word: string): Promise<Moment[]> {
    const { moments } = await watchResource(this.context, {
      deadlineMs: this.context.target.polling.settleDeadlineMs,
      look: async () => {
        const exchange = await this.context.browsers.list();
        return exchange === undefined ? [] : [this.listMoment(word, exchange)];
      },
      // A list may lag behind the record.
      isDone: ({ shown }) => !(this.isOver() && shown?.phase === 'open'),
    });
    return moments.slice(-1);
  }

  private listMoment(word: string, exchange: Exchange): Moment {
    const row = this.context.browsers.listed(exchange)?.find(({ id }) => identifier(id) === this.id);
    return {
      word,
      act: 'list',
      exchange,
      listed: row !== undefined,
      ...(row === undefined ? {} : { shown: this.toShown(row) }),
    };
  }

  private toShown(record: JsonObject): Shown {
    const browsers = this.context.target.v4?.browsers ?? null;
    const status = browsers?.statusIn == null ? undefined : memberAt(record, browsers.statusIn);
    const phase = browsers?.ended.includes(toText(status)) === true ? 'over' : 'open';
    const { finishedAt, startedAt } = record;
    return {
      status: toText(status),
      phase: status === undefined ? 'unknown' : phase,
      settled: pickDefined({ startedAt, finishedAt }),
      counters: {},
    };
  }
}

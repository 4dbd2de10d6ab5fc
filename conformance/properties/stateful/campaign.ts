import * as fc from 'fast-check';
import { succeeded } from '../../core/exchange.ts';
import type { ScenarioContext } from '../../core/scenario.ts';
import type { Machine } from './machine.ts';
import type { Violation, Rules } from './model.ts';
import { type Turn, listMoments, type Moment } from './moment.ts';
import { type Script, cutTo, countDispatches, readScript, simpler, writeScript, splitActions } from './script.ts';
import type { Actor } from './actor.ts';
import { watchResource } from './watch.ts';

/** Number of snapshots after the end of every script. */
const looksAfterEnd = 2;

/** A script with responses that the model accepts in no possible order of the requests. */
export interface FoundScript {
  script: Script;
  turns: readonly Turn[];
  violation: Violation & { turn: number };
  /** False if the limit of tries or of tasks was reached before the script was fully shrunk. */
  isShortest: boolean;
}

/** Result of the scripts of one theme. A theme is a named generator of scripts. */
export interface PlayedTheme {
  name: string;
  /** Number of scripts that were played, without scripts that were tried for shrinking. */
  played: number;
  /** False if no response of these scripts has shown the state of the resource, so that nothing was judged. */
  isObserved: boolean;
  /** The shortest script that violates the contract, and the shortest that violates a rule beyond it. */
  found: Readonly<Record<'documented' | 'beyond', FoundScript | undefined>>;
}

/** Result of all stateful scripts for one kind of resource. */
export interface Campaign {
  themes: readonly PlayedTheme[];
  /**
   * Number of scripts that were shortened or not played at all, because of the limit of tasks or because stops had no
   * effect.
   */
  cut: number;
}

/** Options and limits of the stateful scripts for one kind of resource. */
export interface CampaignOptions {
  machine: Machine;
  rules: Rules;
  /** Total number of scripts. */
  scripts: number;
  /** Maximum number of dispatched tasks. */
  dispatches: number;
}

/** Maximum number of scripts that are tried for shrinking one failing script. */
const triesMax = 24;

/**
 * Time in milliseconds that a campaign waits for ends that do not come after accepted stops. Then it plays no further
 * script, so that a target whose stops have no effect is judged in bounded time.
 */
const lateMsMax = 60_000;

/**
 * Generates scripts from the seed of the run and executes them one after another. For each theme, shrinks the first
 * script that violates the contract and the first that violates a rule beyond it. A replay executes only the script of
 * its token.
 */
export async function playCampaign(context: ScenarioContext, options: CampaignOptions): Promise<Campaign> {
  const stage = new Stage(context, options);
  const themes: PlayedTheme[] = [];
  for (const [name, scripts] of drawn(context, options)) themes.push(await stage.playTheme(name, scripts));
  return { themes, cut: stage.cut };
}

function drawn({ seed, replayed }: ScenarioContext, { machine, scripts }: CampaignOptions): [string, Script[]][] {
  if (replayed?.cell !== undefined && replayed.path !== undefined)
    return [[replayed.cell, [readScript(replayed.path)]]];
  const names = Object.keys(machine.themes);
  return Object.entries(machine.themes).map(([name, arbitrary], index) => {
    const numRuns = Math.max(0, Math.ceil((scripts - index) / names.length));
    return [name, numRuns === 0 ? [] : fc.sample(arbitrary, { seed: seed + index, numRuns })];
  });
}

class Stage {
  cut = 0;
  private readonly context: ScenarioContext;
  private readonly options: CampaignOptions;
  private left: number;
  private lateMs = 0;
  /**
   * The shortest script found for each violated rule. Once a rule has a script, further violations of this rule cost no
   * requests for shrinking.
   */
  private readonly known = new Map<string, FoundScript>();

  constructor(context: ScenarioContext, options: CampaignOptions) {
    this.context = context;
    this.options = options;
    this.left = options.dispatches;
  }

  async playTheme(name: string, scripts: readonly Script[]): Promise<PlayedTheme> {
    const found: Partial<Record<'documented' | 'beyond', FoundScript>> = {};
    let played = 0;
    let isObserved = false;
    for (const whole of scripts) {
      const script = this.lateMs < lateMsMax ? cutTo(whole, this.left, this.options.machine.dispatching) : [];
      this.cut += script.length < whole.length ? 1 : 0;
      if (script.length === 0) continue;
      played += 1;
      const { turns, found: first } = await this.try(script);
      isObserved ||= listMoments(turns).some(({ shown }) => shown !== undefined && shown.phase !== 'unknown');
      if (first === undefined) continue;
      const kind = first.violation.isBeyond ? 'beyond' : 'documented';
      found[kind] ??= this.known.get(first.violation.rule) ?? (await this.shorten(first));
    }
    return { name, played, isObserved, found: { documented: found.documented, beyond: found.beyond } };
  }

  // Each success continues with the shorter script; a violation of another rule does not count.
  private async shorten(first: FoundScript): Promise<FoundScript> {
    // A replay plays only the script of its token.
    if (this.context.replayed !== undefined) return first;
    const tried = new Set([writeScript(first.script)]);
    let best = first;
    for (let isShorter = true; isShorter; ) {
      isShorter = false;
      for (const script of simpler(best.script, wordAt(best.violation))) {
        if (tried.has(writeScript(script))) continue;
        if (tried.size > triesMax || !this.isAffordable(script)) return this.keep({ ...best, isShortest: false });
        tried.add(writeScript(script));
        const { found: next } = await this.try(script);
        if (next?.violation.rule !== first.violation.rule) continue;
        best = next;
        isShorter = true;
        break;
      }
    }
    return this.keep(best);
  }

  private keep(found: FoundScript): FoundScript {
    this.known.set(found.violation.rule, found);
    return found;
  }

  private isAffordable(script: Script): boolean {
    return this.lateMs < lateMsMax && countDispatches(script, this.options.machine.dispatching) <= this.left;
  }

  private async try(script: Script): Promise<{ turns: readonly Turn[]; found?: FoundScript }> {
    const { machine, rules } = this.options;
    const turns = await this.context.live(() => play(this.context, machine.actor(this.context), script));
    this.left -= accepted(turns);
    const isLate = listMoments(turns).some(({ act }) => act === 'late');
    if (isLate) this.lateMs += this.context.target.polling.settleDeadlineMs;
    // The rules of the contract are judged alone first: an earlier violation beyond the contract must not hide them.
    const violation = machine.explain(turns, { ...rules, beyond: false }) ?? machine.explain(turns, rules);
    return violation === undefined ? { turns } : { turns, found: { script, turns, violation, isShortest: true } };
  }
}

/**
 * Returns the index of the word in the script that led to a violation. Every word makes two turns: the action, and the
 * snapshots after it.
 */
function wordAt({ turn }: FoundScript['violation']): number {
  return Math.floor(turn / 2);
}

/**
 * Returns the number of dispatched tasks: tasks that the target accepted, and tasks without a response, which the
 * target may have accepted.
 */
function accepted(turns: readonly Turn[]): number {
  const isDispatch = new Set(['create', 'dispatch']);
  const count = listMoments(turns).filter(
    ({ act, exchange }) =>
      (isDispatch.has(act) || (act === 'queue' && exchange.request.method === 'POST')) &&
      (succeeded(exchange) || exchange.status === 0),
  );
  return count.length;
}

/**
 * Plays one script. Takes a snapshot after every step; after a successful stop, polls until the end. If work still runs
 * after the last step, also plays a stop. Then takes further snapshots, and ends every remaining resource.
 */
async function play(context: ScenarioContext, actor: Actor, script: Script): Promise<Turn[]> {
  const [beginning = '', ...words] = script;
  const turns: Turn[] = [];
  try {
    turns.push(
      createTurn(beginning, [await actor.begin(beginning)]),
      createTurn(beginning, await actor.look(beginning)),
    );
    for (const word of words) turns.push(...(await playWord(context, actor, word)));
    if (!actor.isOver()) turns.push(...(await playWord(context, actor, 'stop')));
    for (let count = 0; count < looksAfterEnd; count += 1) turns.push(createTurn('look', await actor.look('look')));
    return turns;
  } finally {
    await actor.leave();
  }
}

async function playWord(context: ScenarioContext, actor: Actor, word: string): Promise<Turn[]> {
  // All actions are sent in the same tick, in their order in the word.
  const parts = await Promise.all(splitActions(word).map((action) => actor.act(action, word)));
  const isStop = parts.flat().some(({ act, exchange }) => act === 'stop' && succeeded(exchange));
  const after = isStop ? await settle(context, actor, word) : await actor.look(word);
  return [{ word, parts }, createTurn(word, after)];
}

async function settle(context: ScenarioContext, actor: Actor, word: string): Promise<Moment[]> {
  const { moments, isLate } = await watchResource(context, {
    deadlineMs: context.target.polling.settleDeadlineMs,
    look: () => actor.look(word),
    isDone: () => actor.isOver(),
  });
  const last = moments.at(-1);
  return isLate && last !== undefined ? [...moments, { ...last, act: 'late' }] : moments;
}

function createTurn(word: string, moments: readonly Moment[]): Turn {
  return { word, parts: [moments] };
}

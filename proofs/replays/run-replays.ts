import type { Agent } from '#agent/agent.ts';
import { desk } from '../../test/support/workspace-client.ts';
import { createApiClient } from '../../test/support/api-client.ts';
import { testKey } from '../../test/support/start-backend.ts';
import { allScripts } from '../../test/tasks/all-scripts.ts';
import { judgeTask } from '../../test/tasks/judge-task.ts';
import { matches } from '../../test/tasks/matches.ts';
import { scriptedAgent } from '../../test/tasks/scripted-agent.ts';
import type { Task } from '../../test/tasks/task-file.ts';
import { type Drift, driftRewrite } from '../../test/replays/drifts.ts';
import { createOracle, type Known } from '../../test/replays/oracle.ts';
import { type ReplayBench, type SeenRun, startReplayBench } from '../../test/replays/replay-bench.ts';

/** A task with the script that was recorded for it. */
export interface Recorded {
  readonly task: Task;
  readonly workspaceId: string;
  /** Name and text of the script; null if the run left no script. */
  readonly script: { readonly name: string; readonly text: string } | null;
  readonly first: SeenRun;
  /** Number of calls of the model in the first run. */
  readonly turns: number;
}

/** How a replay ended. */
export type ReplayEnd = 'replayed' | 'healed' | 'healed by the model' | 'fell back' | 'failed';

/** One replay of a script, on modified or unmodified pages. */
export interface Replay {
  readonly task: string;
  /** Change of the pages for this replay; null for unchanged pages. */
  readonly drift: Drift | null;
  readonly end: ReplayEnd;
  readonly modelCalls: number;
  readonly tookMs: number;
  /** Faults of the replay: elements that it used and the first run did not use, or a false claim of success. */
  readonly wrong: readonly string[];
  /** Reason why the replay claimed no success; null if it claimed success. */
  readonly reason: string | null;
}

/** Records tasks and replays their scripts, one browser at a time. */
export interface Player {
  record(task: Task): Promise<Recorded>;
  replay(recorded: Recorded, drift: Drift | null): Promise<Replay>;
  stop(): Promise<void>;
}

/**
 * Starts a service whose agent works on a task only during its recording. During a replay the agent ends each task
 * without success, so that a fallback from the script to the agent is visible.
 */
export async function startPlayer(): Promise<Player> {
  let recording: { readonly id: string; turns: number } | null = null;
  let known: Known = { drift: null, answer: null, isReached: () => false };
  const oracle = createOracle(() => known);
  const agent: Agent = {
    worker: () => 'model',
    async run(task, world) {
      const at = recording;
      const script = at === null ? undefined : allScripts[at.id];
      if (at === null || script === undefined)
        return { success: false, output: null, reason: 'The proof leaves this task to no agent.' };
      return scriptedAgent(script).run(task, {
        ...world,
        async step(step) {
          at.turns += 1;
          await world.step(step);
        },
      });
    },
  };
  const bench = await startReplayBench(agent, oracle.providers);
  const v3 = createApiClient(bench.address, testKey, 'v3');
  return {
    async record(task) {
      const workspaceId = await bench.workspace(task);
      const at = { id: task.id, turns: 0 };
      recording = at;
      const first = await bench.run(task, { workspaceId, rewrite: driftRewrite(null) });
      recording = null;
      return { task, workspaceId, script: await readScript(bench, workspaceId), first, turns: at.turns + 1 };
    },
    async replay({ task, workspaceId, script, first }, drift) {
      if (script === null) throw new TypeError(`found no script of ${task.id}, expected one`);
      // An earlier replay may have stored a new version of the script.
      await desk(v3, workspaceId).store(script.name, script.text, '?prefix=scripts/');
      const expected = task.expect.state ?? {};
      known = {
        drift,
        answer: first.output,
        isReached: () =>
          Object.entries(expected).every(([name, value]) => matches(value, bench.site.state()[name] ?? null)),
      };
      const before = oracle.calls();
      const run = await bench.run(task, { workspaceId, rewrite: driftRewrite(drift) });
      const modelCalls = oracle.calls() - before;
      return { task: task.id, drift, modelCalls, tookMs: run.tookMs, ...judge({ task, first, run, modelCalls }) };
    },
    stop: () => bench.stop(),
  };
}

async function readScript(bench: ReplayBench, workspaceId: string): Promise<Recorded['script']> {
  const files = await desk(bench.v4, workspaceId).files('?includeUrls=true');
  for (const { path, url } of files)
    if (typeof path === 'string' && typeof url === 'string' && path.startsWith('scripts/'))
      return { name: path.slice('scripts/'.length), text: await (await fetch(url)).text() };
  return null;
}

interface Judging {
  readonly task: Task;
  readonly first: SeenRun;
  readonly run: SeenRun;
  readonly modelCalls: number;
}

function judge({ task, first, run, modelCalls }: Judging): Pick<Replay, 'end' | 'wrong' | 'reason'> {
  const used = new Set(first.reports);
  const strange = [...new Set(run.reports.filter((one) => !used.has(one)))];
  const { isFalseClaim, faults } = judgeTask(task, run);
  const wrong = [...strange, ...(isFalseClaim ? [`false claim: ${faults.join('; ')}`] : [])];
  const said = run.summaries.join('\n');
  const stopped = /(?:Fell back|Failed)[^\n]*/.exec(said)?.[0] ?? null;
  return { end: classifyEnd(run, modelCalls), wrong, reason: run.claimed ? null : (stopped ?? faults.join('; ')) };
}

function classifyEnd({ claimed, summaries }: SeenRun, modelCalls: number): ReplayEnd {
  if (summaries.some((summary) => summary.startsWith('Fell back'))) return 'fell back';
  if (!claimed) return 'failed';
  if (modelCalls > 0) return 'healed by the model';
  return summaries.some((summary) => summary.startsWith('Healed')) ? 'healed' : 'replayed';
}

import type { AgentTask, AgentWorld } from '../agent.ts';
import type { ModelDoor } from '../model/model-call.ts';
import type { CallParts } from './call-tool.ts';
import { CONVERSATION_BOUNDS, type Conversation, createConversation } from './conversation.ts';
import { createFence } from './fence.ts';
import { labelIn } from './labels.ts';
import { createNotes } from './notes.ts';
import type { Observation } from './observe.ts';
import type { ModelAgentParts } from './parts.ts';
import { createProgress, type Progress } from './progress.ts';
import { introOf, systemPrompt } from './prompts.ts';
import { createRepeatWatch, type RepeatWatch } from './repeat-watch.ts';
import { allTools } from './tools/all-tools.ts';

/** One task in the hands of a model. */
export interface Work {
  readonly task: AgentTask;
  readonly world: AgentWorld;
  readonly model: ModelDoor;
  readonly parts: ModelAgentParts;
  readonly system: string;
  readonly conversation: Conversation;
  readonly progress: Progress;
  readonly repeats: RepeatWatch;
  readonly calls: CallParts;
  /** The browser as it was looked at last. */
  seen: Observation;
  /** Whether anything has been done since then that may have changed it. */
  isStale: boolean;
  /** Replies in a row that called nothing. */
  wordsOnly: number;
}

/** A task of which nothing was done yet. */
export function beginWork(task: AgentTask, world: AgentWorld, parts: ModelAgentParts): Work {
  const { model } = world;
  if (model === null) throw new TypeError('a task without a model is none for this agent');
  const nonce = parts.newNonce();
  const notes = createNotes();
  const work: Work = {
    task,
    world,
    model,
    parts,
    system: systemPrompt(task, nonce),
    conversation: createConversation(() => introOf(task, notes.all()), CONVERSATION_BOUNDS),
    progress: createProgress(parts.limits, task.settings?.maxSteps ?? null),
    repeats: createRepeatWatch(),
    calls: {
      tools: allTools(model.seesImages, parts.moreTools(world)),
      fence: createFence(nonce),
      at: {
        world,
        tab: () => world.tab(),
        labelOf: (ref) => labelIn(work.seen.outline, ref),
        outline: () => work.seen.outline,
        notes,
      },
    },
    seen: { data: '', remark: '', outline: '', url: 'about:blank', picture: null },
    isStale: true,
    wordsOnly: 0,
  };
  return work;
}

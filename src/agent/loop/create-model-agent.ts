import type { Agent, AgentOutcome } from '../agent.ts';
import { giveUp } from '../answer/finish.ts';
import { answerReply } from './answer-reply.ts';
import { askModel } from './ask-model.ts';
import { observe } from './observe.ts';
import type { ModelAgentParts } from './parts.ts';
import { beginWork, type Work } from './work.ts';

/**
 * An agent that works with the model of its world: it looks at the page, asks the model, does what that wants, and looks again.
 * What the model or a page does wrong ends in an outcome; rejects with the signal's reason once the task is aborted.
 */
export function createModelAgent(parts: ModelAgentParts): Agent {
  return {
    async run(task, world) {
      world.signal.throwIfAborted();
      const work = beginWork(task, world, parts);
      let outcome: AgentOutcome | null = null;
      while (outcome === null) outcome = await takeTurn(work);
      return outcome;
    },
  };
}

/** Looks, asks and does once; the task's outcome once there is one. */
async function takeTurn(work: Work): Promise<AgentOutcome | null> {
  const end = work.progress.end();
  if (end !== null) return giveUp(work.task, end, []);
  if (work.isStale) work.seen = await observe(work.world);
  work.isStale = false;
  const answer = await askModel(work, work.seen);
  if (!answer.ok) return giveUp(work.task, `The model could not be asked: ${answer.failure.message}`, []);
  return answerReply(work, answer.reply);
}

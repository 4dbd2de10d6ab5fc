import type { AgentWorld } from '../agent.ts';
import { guardFiles } from './guard-files.ts';
import { guardMailbox } from './guard-mailbox.ts';
import { guardModel } from './guard-model.ts';
import { guardTab } from './guard-tab.ts';
import type { TabGuard } from './tab-guard.ts';

/** A world in which an agent can type secrets and never sees their values; what it books holds none either. */
export function guardWorld(world: AgentWorld, guard: TabGuard): AgentWorld {
  const { redactor } = guard;
  return {
    ...world,
    tab: async () => guardTab(await world.tab(), guard),
    files: guardFiles(world.files, guard),
    mailbox: world.mailbox === null ? null : guardMailbox(world.mailbox, redactor),
    model: world.model === null ? null : guardModel(world.model, redactor),
    step: async (step) =>
      world.step({
        ...step,
        summary: await redactor.paced(step.summary),
        action: await redactor.paced(step.action),
        url: await redactor.paced(step.url),
      }),
  };
}

import type { AgentWorld } from '../agent/agent.ts';
import { guardFiles } from './guard-files.ts';
import { guardMailbox } from './guard-mailbox.ts';
import { type TabGuard, guardTab } from './guard-tab.ts';

/** A world in which an agent can type secrets and never sees their values; what it books holds none either. */
export function guardWorld(world: AgentWorld, guard: TabGuard): AgentWorld {
  const { redactor } = guard;
  return {
    ...world,
    tab: async () => guardTab(await world.tab(), guard),
    files: guardFiles(world.files, guard),
    mailbox: world.mailbox === null ? null : guardMailbox(world.mailbox, redactor),
    step: (step) =>
      world.step({
        ...step,
        summary: redactor.text(step.summary),
        action: redactor.json(step.action),
        url: redactor.text(step.url),
      }),
  };
}

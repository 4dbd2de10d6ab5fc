import type { ConsoleProject } from '#contract/console-messages.ts';
import type { ConsoleTools } from '../console-operation.ts';

/** A project as its people see it. */
export async function shownProject(tools: ConsoleTools, projectId: string): Promise<ConsoleProject> {
  const [project, balance] = [await tools.projects.get(projectId), await tools.balance(projectId)];
  return {
    id: project.id,
    name: project.name,
    creditMicros: project.creditMicros,
    spentMicros: balance.spentMicros,
    sessionsMax: project.sessionsMax,
    activeMax: balance.activeMax,
    activeCount: balance.activeCount,
    zeroDataRetention: project.zeroDataRetention,
  };
}

import type { Project } from '#accounts/projects.ts';
import { microsToDecimal } from '#contract/money.ts';
import { shownTime } from './shown-time.ts';
import { table } from './table.ts';

/** Projects as a table; `default` is what the service gives everybody. */
export function projectTable(projects: readonly Project[]): string {
  const titles = ['ID', 'CREATED', 'CREDIT', 'SESSIONS', 'RATE', 'RETENTION', 'NAME'];
  const row = (project: Project): string[] => [
    project.id,
    shownTime(project.createdAtMs, ''),
    project.creditMicros === null ? 'unlimited' : `$${microsToDecimal(project.creditMicros)}`,
    project.sessionsMax === null ? 'default' : String(project.sessionsMax),
    project.requestsPerSecond === null ? 'default' : `${project.requestsPerSecond}/s`,
    project.zeroDataRetention ? 'zero' : 'kept',
    project.name,
  ];
  return table([titles, ...projects.map(row)]);
}

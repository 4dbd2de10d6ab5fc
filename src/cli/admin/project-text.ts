import { microsToDecimal } from '#contract/money.ts';
import type { DescribedProject } from './describe-project.ts';
import { keyTable } from './key-table.ts';
import { projectTable } from './project-table.ts';

/** A project with what lives in it, what it has spent, and its keys with what each is worth at `nowMs`. */
export function projectText(project: DescribedProject, nowMs: number): string {
  const now = `living now: ${project.living}\nspent: $${microsToDecimal(project.spentMicros)}`;
  return [projectTable([project]), now, keyTable(project.keys, nowMs)].join('\n\n');
}

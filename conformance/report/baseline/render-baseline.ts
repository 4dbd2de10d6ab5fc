import { lazyModules } from '../../core/lazy-modules.ts';
import type { Baseline } from './baseline.ts';

const heading = `# Known failures that \`svc check --baseline\` accepts until they expire. An entry whose failure is gone fails the run.
# \`--update-baseline\` writes this file again; reasons and links stay, comments do not.
`;

/** The text of a baseline file; read back it gives the same entries. */
export function renderBaseline({ entries }: Baseline): string {
  const ordered = entries.map(({ id, cell, reason, link, expires }) => ({
    id,
    ...(cell === undefined ? {} : { cell }),
    reason,
    ...(link === undefined ? {} : { link }),
    expires,
  }));
  return heading + lazyModules.yaml().stringify({ entries: ordered }, { lineWidth: 120 });
}

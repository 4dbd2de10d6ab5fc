import { mkdirSync, writeFileSync } from 'node:fs';
import type { Proved } from './prove.ts';

/** Writes how many broken servers were caught, and what was not. */
export function writeTeethEvidence({
  commit,
  planned,
  done,
  problems,
  idle,
}: Proved & { idle: readonly string[] }): void {
  const killed = done.filter(({ failing }) => failing.length > 0).length;
  const seconds = Math.round(done.reduce((sum, one) => sum + one.seconds, 0));
  const faults = [...problems, ...idle.map((id) => `${id}: its check kills nothing`)];
  const text = [
    '# Teeth',
    `Written by \`npm run teeth\` on commit ${commit}, ${new Date().toISOString().slice(0, 10)}, seed 1. What each mutant breaks stands in [the kill matrix](../reference/teeth.md).`,
    `${killed} of ${done.length} mutants were caught (${planned} are planned), in ${seconds} seconds of judging. ${problems.length} were caught otherwise than they say, ${idle.length} checks kill nothing.`,
    ...(faults.length === 0 ? [] : [faults.map((fault) => `- ${fault}`).join('\n')]),
  ].join('\n\n');
  mkdirSync('docs/evidence', { recursive: true });
  writeFileSync('docs/evidence/teeth.md', `${text}\n`);
}

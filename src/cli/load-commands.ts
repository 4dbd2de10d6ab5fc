import type { Command } from 'commander';

/** How each command of `svc` is loaded, in the order in which help lists them. A command loads what it works with only when it runs. */
const loaders: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['check', () => import('./commands/check.ts').then((module) => module.checkCommand())],
  ['check-client', () => import('./commands/check-client.ts').then((module) => module.checkClientCommand())],
  ['mock', () => import('./commands/mock.ts').then((module) => module.mockCommand())],
  ['serve', () => import('./commands/serve.ts').then((module) => module.serveCommand())],
  ['spec', () => import('./commands/spec.ts').then((module) => module.specCommand())],
  ['list', () => import('./commands/list.ts').then((module) => module.listCommand())],
  ['explain', () => import('./commands/explain.ts').then((module) => module.explainCommand())],
  ['init', () => import('./commands/init.ts').then((module) => module.initCommand())],
  ['judge', () => import('./commands/judge.ts').then((module) => module.judgeCommand())],
  ['replay', () => import('./commands/replay.ts').then((module) => module.replayCommand())],
  ['coverage', () => import('./commands/coverage.ts').then((module) => module.coverageCommand())],
  ['clean', () => import('./commands/clean.ts').then((module) => module.cleanCommand())],
  ['diff', () => import('./commands/diff.ts').then((module) => module.diffCommand())],
  ['report', () => import('./commands/report.ts').then((module) => module.reportCommand())],
  ['doctor', () => import('./commands/doctor.ts').then((module) => module.doctorCommand())],
  ['tunnel', () => import('./commands/tunnel.ts').then((module) => module.tunnelCommand())],
  ['admin', () => import('./commands/admin.ts').then((module) => module.adminCommand())],
  ['completion', () => import('./commands/completion.ts').then((module) => module.completionCommand(allCommands))],
]);

/** Every command, in the order of help. */
function allCommands(): Promise<Command[]> {
  return Promise.all(Array.from(loaders.values(), (load) => load()));
}

/** The command of that name alone, because all of them take longer to load than most take to work; all for any other word, as help and wrong usage need them. */
export async function loadCommands(name: string | undefined): Promise<Command[]> {
  const named = name === undefined ? undefined : loaders.get(name);
  return named === undefined ? allCommands() : [await named()];
}

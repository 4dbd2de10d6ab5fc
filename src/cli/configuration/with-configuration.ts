import type { Command } from 'commander';
import { applyGiven } from './apply-given.ts';
import { givenByEnvironment } from './given-by-environment.ts';
import type { Given } from './given.ts';
import { type Setting, settingsOf, variableOf } from './settings-of.ts';
import { watchFlags } from './watch-flags.ts';

/** What a configured command does, and which of its settings nobody sees. */
export interface Configured<Flags extends object> {
  /** Called with every setting read: flag before environment before file before default. */
  readonly run: (flags: Flags) => Promise<void>;
  /** Members that `--print-config` masks. */
  readonly secrets: readonly string[];
  /** Variables by which others say the same of a member; one of ours goes before them. @defaultValue none */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/**
 * Lets the options of a command come from the environment and from a YAML file too, and adds `--config` and `--print-config`. The options
 * are the one table: a member of the file is a flag without its dashes, a variable the same in capitals behind `SVC_`. To be called
 * after the last option.
 */
export function withConfiguration<Flags extends object>(command: Command, configured: Configured<Flags>): Command {
  const byFlag = watchFlags(command);
  return command
    .option('--config <file>', 'settings as YAML: the flags without their dashes (docs/guides/operate.md)')
    .option('--print-config', 'print every setting with its value and where that came from, and end')
    .addHelpText(
      'after',
      '\nEvery flag can also stand in the environment (SVC_PORT for --port) and in the file of --config.',
    )
    .action(async () => {
      const settings = settingsOf(command);
      const given = await gather(command, { settings, byFlag, elsewhere: configured.elsewhere ?? {} });
      if (command.getOptionValue('printConfig') !== true) return configured.run(command.opts<Flags>());
      const { showConfiguration } = await import('./show-configuration.ts');
      const secrets = new Set(configured.secrets);
      console.log(showConfiguration(settings, given, { secrets, unread: unreadVariables(settings) }));
    });
}

interface Places {
  readonly settings: readonly Setting[];
  readonly byFlag: ReadonlyMap<string, Given>;
  readonly elsewhere: NonNullable<Configured<object>['elsewhere']>;
}

async function gather(command: Command, { settings, byFlag, elsewhere }: Places): Promise<ReadonlyMap<string, Given>> {
  const named: unknown = command.getOptionValue('config') ?? process.env[variableOf('config')];
  const byFile = typeof named === 'string' && named !== '' ? await givenBy(named, settings) : [];
  const less = new Map([...byFile, ...givenByEnvironment(process.env, settings, elsewhere)]);
  for (const setting of settings) {
    const found = byFlag.has(setting.member) ? undefined : less.get(setting.member);
    if (found !== undefined) applyGiven(command, setting, found);
  }
  return new Map([...less, ...byFlag]);
}

/** What reads the file is loaded only where there is one. */
async function givenBy(name: string, settings: readonly Setting[]): Promise<ReadonlyMap<string, Given>> {
  const { givenByFile } = await import('./given-by-file.ts');
  const { readYamlFile } = await import('#conformance/harness/data-file.ts');
  return givenByFile(readYamlFile(name, configurationUse), settings);
}

const configurationUse = {
  expected: 'settings as YAML, such as "port: 8080"',
  next: 'correct the file of --config; --help lists the settings, which are the flags without their dashes',
  mayBeEmpty: true,
  holdsSecrets: true,
};

/** A misspelt variable is not an error, because others may use the prefix; it is shown. */
function unreadVariables(settings: readonly Setting[]): string[] {
  const read = new Set([...settings.map(({ variable }) => variable), variableOf('config')]);
  return Object.keys(process.env).filter((name) => name.startsWith('SVC_') && !read.has(name));
}

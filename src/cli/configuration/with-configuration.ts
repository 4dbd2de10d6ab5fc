import { type Command, InvalidArgumentError } from 'commander';
import { type Given, type Setting, settingsOf, variableOf } from './given.ts';

/** The action of a configured command, and its secret settings. */
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
      const secrets = new Set(configured.secrets);
      const { showConfiguration } = await import('./show-configuration.ts');
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

/** Reads the settings of a configuration file; the YAML reader is loaded on demand. */
async function givenBy(name: string, settings: readonly Setting[]): Promise<ReadonlyMap<string, Given>> {
  const { givenByFile } = await import('./given-by-file.ts');
  const { readYamlFile } = await import('#conformance/core/data-file.ts');
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

/** Keeps the texts of the flags of a command as they are read, by member. To be called after its last option, before it reads any. */
function watchFlags(command: Command): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  for (const { option, member, kind } of settingsOf(command)) {
    const place = option.long ?? `--${member}`;
    command.on(`option:${option.name()}`, (text?: string) => {
      const earlier = kind === 'list' ? (given.get(member)?.texts ?? []) : [];
      given.set(member, { texts: [...earlier, text ?? String(!option.negate)], from: 'flag', place });
    });
  }
  return given;
}

/**
 * What the environment says of the settings, by member. The parts of a list are separated by commas; an empty variable says nothing.
 * `elsewhere` names a variable of others by member, which is read where ours says nothing.
 */
function givenByEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly Setting[],
  elsewhere: Readonly<Record<string, string>> = {},
): Map<string, Given> {
  const given = new Map<string, Given>();
  for (const { member, variable, kind } of settings) {
    const place = [variable, elsewhere[member] ?? variable].find((name) => (environment[name] ?? '') !== '');
    if (place === undefined) continue;
    const text = environment[place] ?? '';
    const texts = kind === 'list' ? text.split(',').map((part) => part.trim()) : [text];
    given.set(member, { texts, from: 'environment', place });
  }
  return given;
}

/**
 * Gives a setting of a command the value of those texts, read as its flag reads them. Throws a ConfigurationError that names the place
 * for what the flag refuses.
 */
function applyGiven(command: Command, { option, kind, member }: Setting, given: Given): void {
  const set = (value: unknown): void => {
    command.setOptionValueWithSource(option.attributeName(), value, given.from === 'file' ? 'config' : 'env');
  };
  const [text = ''] = given.texts;
  if (kind === 'switch') {
    if (text !== 'true' && text !== 'false')
      throw new ConfigurationError(`found "${text}" for "${member}" in ${given.place}, expected true or false`);
    set(text === 'true');
    return;
  }
  try {
    set(kind === 'list' ? given.texts.reduce(read, option.defaultValue) : read(undefined, text));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new ConfigurationError(
      `found an unusable value for "${member}" in ${given.place}: ${error.message.replace(/\.$/, '')}`,
    );
  }

  function read(earlier: unknown, one: string): unknown {
    return option.parseArg === undefined ? one : option.parseArg(one, earlier);
  }
}

/** A configuration that cannot be used, in a sentence that says what was found, what was expected, and where. */
class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

import { type Command, InvalidArgumentError } from 'commander';
import { type GivenValue, type Setting, listSettings, variableName } from './given.ts';

/** A configured command: its action, and its secret settings. */
export interface Configured<Flags extends object> {
  /**
   * Runs the command with all settings. A flag takes precedence over the environment, the environment over the file,
   * and the file over the default.
   */
  readonly run: (flags: Flags) => Promise<void>;
  /** Members that `--print-config` masks. */
  readonly secrets: readonly string[];
  /**
   * Alternative environment variables by member, which apply if the `SVC_` variable is absent or empty. @defaultValue
   * none
   */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/**
 * Lets the environment and a YAML file set the options of a command too, and adds `--config` and `--print-config`. A
 * member of the file is a flag without its leading dashes. An environment variable is `SVC_` and the member in
 * capitals, with underscores for dashes. Must be called after the last option is added.
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
      const settings = listSettings(command);
      const given = await gather(command, { settings, byFlag, elsewhere: configured.elsewhere ?? {} });
      if (command.getOptionValue('printConfig') !== true) return configured.run(command.opts<Flags>());
      const secrets = new Set(configured.secrets);
      const { showConfiguration } = await import('./show-configuration.ts');
      console.log(showConfiguration(settings, given, { secrets, unread: unreadVariables(settings) }));
    });
}

interface Places {
  readonly settings: readonly Setting[];
  readonly byFlag: ReadonlyMap<string, GivenValue>;
  readonly elsewhere: NonNullable<Configured<object>['elsewhere']>;
}

async function gather(
  command: Command,
  { settings, byFlag, elsewhere }: Places,
): Promise<ReadonlyMap<string, GivenValue>> {
  const named: unknown = command.getOptionValue('config') ?? process.env[variableName('config')];
  const byFile = typeof named === 'string' && named !== '' ? await givenBy(named, settings) : [];
  const less = new Map([...byFile, ...givenByEnvironment(process.env, settings, elsewhere)]);
  for (const setting of settings) {
    const found = byFlag.has(setting.member) ? undefined : less.get(setting.member);
    if (found !== undefined) applyGiven(command, setting, found);
  }
  return new Map([...less, ...byFlag]);
}

/** Reads the settings of a configuration file; the YAML reader is loaded on demand. */
async function givenBy(name: string, settings: readonly Setting[]): Promise<ReadonlyMap<string, GivenValue>> {
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

/**
 * Returns the environment variables that start with `SVC_` and name no setting. They are no error, because other
 * programs may use this prefix. `--print-config` shows them.
 */
function unreadVariables(settings: readonly Setting[]): string[] {
  const read = new Set([...settings.map(({ variable }) => variable), variableName('config')]);
  return Object.keys(process.env).filter((name) => name.startsWith('SVC_') && !read.has(name));
}

/**
 * Records the raw texts of a command's flags while commander parses them. Returns a map by member, which is filled
 * during parsing. Must be called after the last option is added.
 */
function watchFlags(command: Command): ReadonlyMap<string, GivenValue> {
  const given = new Map<string, GivenValue>();
  for (const { option, member, kind } of listSettings(command)) {
    const place = option.long ?? `--${member}`;
    command.on(`option:${option.name()}`, (text?: string) => {
      const earlier = kind === 'list' ? (given.get(member)?.texts ?? []) : [];
      given.set(member, { texts: [...earlier, text ?? String(!option.negate)], from: 'flag', place });
    });
  }
  return given;
}

/**
 * Returns the settings of the environment by member. Commas separate the entries of a list; an empty variable is
 * ignored. `elsewhere` names an alternative variable by member, which applies when the `SVC_` variable is absent or
 * empty.
 */
function givenByEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  settings: readonly Setting[],
  elsewhere: Readonly<Record<string, string>> = {},
): Map<string, GivenValue> {
  const given = new Map<string, GivenValue>();
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
 * Sets an option of a command to a value of the environment or file, with the parser of its flag. Throws a
 * ConfigurationError that names the source if the parser refuses the value.
 */
function applyGiven(command: Command, { option, kind, member }: Setting, given: GivenValue): void {
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

/** Thrown for an invalid configuration. The message says what was found, what was expected, and where. */
class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

import { type Command, InvalidArgumentError } from 'commander';
import { stringify } from 'yaml';
import { type Given, type Setting, givenByFile, settingsOf, variableOf } from './given.ts';

/** What is shown of a setting. */
export interface ShownOptions {
  /** Members whose values are never shown. */
  readonly secrets: ReadonlySet<string>;
  /** Variables of the environment that begin like ours and name no setting. */
  readonly unread: readonly string[];
}

const mask = '********';
/** The name and password of an address. */
const credentials = /(?<=:\/\/)[^/@\s]+@/g;

/** The effective settings as a YAML file that could be read again, each with where it came from; secrets are masked. */
function showConfiguration(
  settings: readonly Setting[],
  given: ReadonlyMap<string, Given>,
  { secrets, unread }: ShownOptions,
): string {
  const lines = settings.map((setting) => {
    const found = given.get(setting.member);
    const value = found === undefined ? byDefault(setting) : valueOf(setting, found);
    return `${setting.member}: ${shown(value, secrets.has(setting.member))} # ${whence(found)}`;
  });
  const strays = unread.map((name) => `# not read: ${name} names no setting`);
  return [...lines, ...strays].join('\n');
}

function whence(found: Given | undefined): string {
  return found === undefined ? 'default' : `${found.from} (${found.place})`;
}

/** null where a setting has no value of its own. */
function byDefault({ option, kind }: Setting): unknown {
  return kind === 'switch' ? option.negate : (option.defaultValue ?? null);
}

function valueOf({ kind, option }: Setting, { texts }: Given): unknown {
  if (kind === 'list') return texts;
  const [text = ''] = texts;
  if (kind === 'switch') return text === 'true';
  return typeof option.defaultValue === 'number' ? Number(text) : text;
}

function shown(value: unknown, isSecret: boolean): string {
  const masked = Array.isArray(value) ? value.map((one) => maskedText(one, isSecret)) : maskedText(value, isSecret);
  return stringify(masked, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}

function maskedText(value: unknown, isSecret: boolean): unknown {
  if (typeof value !== 'string') return value;
  return isSecret ? mask : value.replaceAll(credentials, `${mask}@`);
}

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

/** Reads the settings of a configuration file; the YAML reader is loaded on demand. */
async function givenBy(name: string, settings: readonly Setting[]): Promise<ReadonlyMap<string, Given>> {
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

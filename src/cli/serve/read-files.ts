import { hkdfSync } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { providersFromEnvironment, type ProviderTable } from '#agent/providers/configuration.ts';
import type { ExitOptions, ProxyTable } from '#browsers/index.ts';
import { readBytes, readYamlFile } from '#conformance/core/data-file.ts';
import { SuiteError } from '#conformance/core/suite-error.ts';
import type { Integration } from '#agent/integrations/integration.ts';
import type { Skill } from '#agent/skills/skill.ts';
import { loadOptional } from '#contract/load-optional.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { type Periods, parseDays } from '#platform/retention/periods.ts';
import type { ServiceSecrets } from '#store/data-folder.ts';

/** Values of the proxy flags of `svc serve`. */
export interface ProxyFlags {
  /** File of proxies by country; null without one. */
  readonly proxies: string | null;
  /** Whether requests for a country without a proxy are refused. */
  readonly requireProxy: boolean;
  /** Codes of the countries whose browsers use the network of this machine. @defaultValue none */
  readonly exitCountries?: readonly string[];
}

/**
 * Reads the file of proxies, and adds the countries whose browsers use the network of this machine. Rejects with an
 * Error that begins with `found` for an invalid file.
 */
export async function readProxySettings(
  { proxies: file, requireProxy: required, exitCountries = [] }: ProxyFlags,
  rules: RuleBook,
): Promise<ExitOptions> {
  const own = exitCountries.map((country) => [country, 'direct'] as const);
  const proxies: ProxyTable = new Map([...(file === null ? [] : await readProxies(file, rules)), ...own]);
  return { countries: rules.countries, proxies, required };
}

async function readProxies(file: string, rules: RuleBook): Promise<ProxyTable> {
  const { parseProxies } = await import('#browsers/egress/proxy-file.ts');
  const codes = rules.countries.countries.map(({ code }) => code);
  return parseProxies({ file: readYamlFile(file, proxiesUse), environment: process.env, codes });
}

const proxiesUse = {
  expected: 'proxies by country, as YAML',
  next: 'correct the file of --proxies; docs/guides/proxies.md describes it',
  holdsSecrets: true,
};

/**
 * Reads the model providers of a file; without a file, the providers whose standard environment variable contains a
 * key. Rejects with an Error that begins with `found` for invalid content.
 */
export async function readProviders(file: string | null, { providers: rules }: RuleBook): Promise<ProviderTable> {
  const { env: environment } = process;
  if (file === null) return providersFromEnvironment(rules, environment);
  const { parseProviders } = await import('#agent/providers/configuration.ts');
  return parseProviders({ file: readYamlFile(file, providersUse), environment, rules });
}

const providersUse = {
  expected: 'model providers with their keys, as YAML',
  next: 'correct the file of --providers; docs/guides/providers.md describes it',
  holdsSecrets: true,
};

/**
 * Reads the retention periods of a flag: days for all kinds, or a file with days by kind; null keeps everything.
 * Rejects with an Error that begins with `found` for invalid content.
 */
export async function readRetention(given: string | null): Promise<Periods> {
  if (given === null) return new Map();
  if (/^\d+$/.test(given)) return parseDays(given);
  const { parseRetention } = await import('#platform/retention/periods.ts');
  return parseRetention(readYamlFile(given, retentionUse));
}

const retentionUse = {
  expected: 'a number of days, or a file of days by kind',
  next: 'correct --retention or its file; docs/guides/run.md describes it',
};

/**
 * Reads the integrations in a file; returns an empty list without a file. Rejects with an Error that begins with
 * `found` for invalid content, and with MissingPackage when the package for integrations is not installed.
 */
export async function readIntegrations(file: string | null, rules: RuleBook): Promise<readonly Integration[]> {
  if (file === null) return [];
  const { parseIntegrations } = await import('#agent/integrations/configuration.ts');
  const { env: environment } = process;
  const source = { file: readYamlFile(file, integrationsUse), environment };
  const integrations = parseIntegrations({ ...source, integrationsMax: getLimit(rules, 'integrations') });
  await loadOptional('integrations', () => import('#agent/integrations/connect.ts'));
  return integrations;
}

const integrationsUse = {
  expected: 'integrations, as YAML',
  next: 'correct the file of --integrations; docs/guides/integrations.md describes it',
  holdsSecrets: true,
};

/**
 * Reads the skills of a folder; an empty list without a folder. Rejects with SuiteError `usage` for a folder that
 * cannot be read and for an invalid skill.
 */
export async function readSkills(folder: string | null, rules: RuleBook): Promise<Skill[]> {
  if (folder === null) return [];
  const { readSkillsFolder } = await import('#agent/skills/read-skills-folder.ts');
  const [skills, files] = [getLimit(rules, 'skills'), getLimit(rules, 'skillFiles')];
  try {
    return await readSkillsFolder(folder, { skills, files, fileBytes: getLimit(rules, 'skillFileBytes') });
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    throw new SuiteError('usage', {
      found,
      expected: 'a folder with a folder for each skill',
      next: 'correct the folder of --skills; docs/guides/skills.md describes it',
    });
  }
}

const bytesMin = 32;

/** Permission bits of group and others, which the secret file must not have. */
const othersMask = 0o077;

/**
 * Derives the secrets that all processes of a service share from the bytes of a file. Rejects with SuiteError `usage`
 * for a file that is unreadable, too short, or accessible to other users.
 */
export async function readSecrets(file: string): Promise<ServiceSecrets> {
  const bytes = readBytes(file, secretUse);
  const { mode } = await stat(file);
  if (bytes.length < bytesMin)
    throw new SuiteError('usage', { ...secretUse, found: `${bytes.length} bytes in ${file}` });
  if ((mode & othersMask) !== 0)
    throw new SuiteError('usage', {
      found: `${file} open to others`,
      expected: 'a file that only its owner may read',
      next: `chmod 600 ${file}`,
    });
  const derived = (use: string): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', bytes, new Uint8Array(), `svc ${use} 1`, bytesMin));
  return { signing: derived('signing'), sealing: derived('sealing') };
}

const secretUse = {
  expected: `a file with a secret of at least ${bytesMin} bytes`,
  next: 'correct the path of --secret-file',
};

import { type Command, InvalidArgumentError } from 'commander';
import { defaultPressureMax } from '#browsers/admission.ts';
import { defaultRules, getLimit, type RuleBook } from '#contract/rule-book.ts';
import { httpUrl, wholeNumber } from '../flag-values.ts';
import type { ServeOptions } from './serve-options.ts';

/** Values of the browser flags of `svc serve`. */
export interface BrowserFlags {
  readonly warm: number;
  readonly pressureMax: number;
  /** Memory limit of a browser in MiB. */
  readonly browserMemory: number;
  /** Disk limit of a browser in MiB. */
  readonly browserDisk: number;
  readonly proxies?: string;
  readonly requireProxy?: true;
  readonly exitCountry: string[];
  readonly captchaSolver?: string;
  readonly audit?: string;
  readonly cdpAllow: string[];
}

const mebibyte = 1024 * 1024;
/** Upper limit of `--warm`, because a terabyte of memory could not hold more browsers. */
const warmMax = 1_000;

/** Adds the browser flags. */
export function addBrowserFlags(command: Command): Command {
  return command
    .option(
      '--warm <number>',
      'browsers that are started in advance; each uses the memory of an empty browser',
      wholeNumber(0, warmMax),
      0,
    )
    .option(
      '--pressure-max <percent>',
      'share of time in which processes wait for a processor, above which browsers start one by one; 100 = never',
      wholeNumber(0, 100),
      defaultPressureMax,
    )
    .option(
      '--browser-memory <MiB>',
      'maximum memory of one browser with all its processes; above it the browser is ended',
      wholeNumber(1),
      getLimit(defaultRules, 'browserMemory') / mebibyte,
    )
    .option(
      '--browser-disk <MiB>',
      'maximum disk space of one browser; above it the browser is ended',
      wholeNumber(1),
      getLimit(defaultRules, 'browserDisk') / mebibyte,
    )
    .option(
      '--proxies <file>',
      'forward proxies by country, as YAML (docs/guides/proxies.md; default: all countries use the network of this machine)',
    )
    .option('--require-proxy', 'refuse countries without a proxy')
    .option(
      '--exit-country <code>',
      'country of this machine: its browsers use the network of this machine, and records show the country (repeatable; default: records show only countries of --proxies)',
      moreCountries,
      [],
    )
    .option(
      '--captcha-solver <url>',
      'URL that receives a POST with the DevTools URL of each new standalone browser, to solve CAPTCHAs (default: none)',
      httpUrl,
    )
    .option(
      '--audit <file>',
      'log of the commands of DevTools clients as JSON lines: client, method, session and outcome, never values',
    )
    .option(
      '--cdp-allow <domain>',
      'DevTools domain that clients may use although the policy does not list it (repeatable)',
      moreDomains,
      [],
    );
}

/** Converts the browser flags to options. */
export function readBrowserOptions(
  flags: BrowserFlags,
): Pick<ServeOptions, 'warm' | 'pressureMax' | 'bounds' | 'exits' | 'captchaSolverUrl' | 'auditFile' | 'cdpAllow'> {
  const { warm, pressureMax, browserMemory, browserDisk, cdpAllow } = flags;
  return {
    warm,
    pressureMax,
    bounds: { memoryBytes: browserMemory * mebibyte, diskBytes: browserDisk * mebibyte },
    exits: {
      proxies: flags.proxies ?? null,
      requireProxy: flags.requireProxy ?? false,
      exitCountries: flags.exitCountry,
    },
    captchaSolverUrl: flags.captchaSolver ?? null,
    auditFile: flags.audit ?? null,
    cdpAllow,
  };
}

function moreCountries(code: string, earlier: string[]): string[] {
  if (defaultRules.countries.countries.some((row) => row.code === code)) return [...earlier, code];
  throw new InvalidArgumentError('Expected a code of ProxyCountryCode such as de or uk.');
}

function moreDomains(name: string, earlier: string[]): string[] {
  const names = [...earlier, name];
  try {
    withOpenDomains(defaultRules, names);
    return names;
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/**
 * Returns a copy of the rules in which clients may use further DevTools domains. Throws a RangeError for an invalid
 * name, and for a domain that is already allowed or must never be allowed. Single methods that the policy refuses stay
 * refused.
 */
export function withOpenDomains(rules: RuleBook, names: readonly string[]): RuleBook {
  const { cdpPolicy } = rules;
  const { domains } = cdpPolicy;
  const open = names.reduce<readonly string[]>(
    (known, name) => [...known, opened(name, cdpPolicy, known)],
    domains.open,
  );
  return { ...rules, cdpPolicy: { ...cdpPolicy, domains: { ...domains, open } } };
}

function opened(name: string, { methods }: RuleBook['cdpPolicy'], known: readonly string[]): string {
  const domain = namePattern.exec(name)?.[1];
  if (domain === undefined)
    throw new RangeError(`Expected the name of a DevTools domain such as Example or Example.*, found ${name}.`);
  if (known.includes(domain))
    throw new RangeError(`Expected a closed domain, named once, found ${domain}, which is open already: leave it out.`);
  const row = methods.find(({ method, action }) => method === `${domain}.*` && action === 'refuse');
  if (row !== undefined)
    throw new RangeError(`Expected a domain that may be opened, found ${domain}, which is never open: ${row.why}.`);
  return domain;
}

/** Matches a value of `--cdp-allow`, such as `Example` or `Example.*`. */
const namePattern = /^([A-Za-z]{1,40})(\.\*)?$/;

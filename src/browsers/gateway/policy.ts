import type { RuleBook } from '#contract/rule-book.ts';
import type { JsonObject } from '#lib/json.ts';
import type { HostedBrowser } from '../host.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import { memberAt, withMember, withoutMember } from './find-members.ts';
import { getAnswer, type Command } from './read-command.ts';

/**
 * Decision about a client's command. `pass`: the browser receives the command, which is the same object unless it was
 * changed. `answer`: the client receives a reply from the gateway instead.
 */
export type Verdict =
  | { readonly kind: 'pass'; readonly command: Command }
  | { readonly kind: 'answer'; readonly reply: CdpMessage; readonly detach: boolean };

/** Properties of a browser that the policy depends on. */
export type JudgedBrowser = Pick<HostedBrowser, 'downloadFolder' | 'allowsResizing'> & {
  readonly uploads: Pick<HostedBrowser['uploads'], 'findPath'>;
};

/** Rules that decide which DevTools commands of clients reach the browser. */
export interface CdpPolicy {
  judge(command: Command, browser: JudgedBrowser): Verdict;
}

type Table = RuleBook['cdpPolicy'];
type Row = Table['methods'][number];

/** Suffix of a method name in the table, such as `Storage.*`: the row applies to all methods of this domain. */
const wholeDomain = '.*';

/** Creates the policy from the table of spec/rules/cdp-policy.yaml. Tests can pass a changed copy of the table. */
export function createCdpPolicy(table: Table): CdpPolicy {
  const rows = Map.groupBy(table.methods, ({ method }) => method);
  const ofDomain = Map.groupBy(
    table.methods.filter(({ method }) => method.endsWith(wholeDomain)),
    ({ method }) => method.slice(0, -wholeDomain.length),
  );
  const open = new Set(table.domains.open);
  return {
    judge(command, browser) {
      const domain = getDomain(command.method);
      const known = rows.get(command.method) ?? ofDomain.get(domain);
      if (known !== undefined) return applyAll({ table, rows: known, browser }, command);
      return open.has(domain) ? { kind: 'pass', command } : refuse(table, command, table.domains.why);
    },
  };
}

/**
 * Returns the DevTools domain of a method, the text before the dot. A name without a dot is returned whole, and is no
 * known domain.
 */
function getDomain(method: string): string {
  const dot = method.indexOf('.');
  return dot < 0 ? method : method.slice(0, dot);
}

interface Rules {
  readonly table: Table;
  readonly rows: readonly Row[];
  readonly browser: JudgedBrowser;
}

/**
 * Applies all table rows of a method in order; each row receives the command as changed by the previous row. The first
 * row that answers the command ends the sequence.
 */
function applyAll({ rows, ...parts }: Rules, command: Command): Verdict {
  let verdict: Verdict = { kind: 'pass', command };
  for (const row of rows) {
    verdict = apply({ ...parts, row }, verdict.command);
    if (verdict.kind === 'answer') return verdict;
  }
  return verdict;
}

interface Rule {
  readonly table: Table;
  readonly row: Row;
  readonly browser: JudgedBrowser;
}

function apply(rule: Rule, command: Command): Verdict {
  const { table, row, browser } = rule;
  const members = row.members ?? [];
  const passIf = (isFine: boolean): Verdict =>
    isFine ? pass(command, command.params) : refuse(table, command, row.why);
  switch (row.action) {
    case 'answer':
      return done(command, { detach: true });
    case 'drop':
      return pass(command, members.reduce(withoutMember, command.params));
    case 'folder':
      return pass(command, members.reduce(setting(browser.downloadFolder), command.params));
    case 'address':
      return judgeAddresses(rule, command);
    case 'resize':
      return browser.allowsResizing ? pass(command, command.params) : done(command, { detach: false });
    case 'uploads':
      return judgeUploads(rule, command);
    case 'empty':
      return passIf(members.every((member) => isEmpty(memberAt(command.params, member))));
    case 'range':
      return passIf(members.every((member) => isWithin(memberAt(command.params, member), row)));
    default:
      // `refuse`, and any action that this version does not know.
      return refuse(table, command, row.why);
  }
}

function judgeAddresses({ table, row }: Pick<Rule, 'table' | 'row'>, command: Command): Verdict {
  let params = command.params;
  for (const member of row.members ?? []) {
    const given = memberAt(params, member);
    if (given === undefined) continue;
    const verdict = addressVerdict(given, table.addresses);
    if (verdict.kind === 'closed') return refuse(table, command, row.why);
    if (verdict.kind === 'invalid') return answer(command, getAnswer(table, 'badAddress', {}));
    params = withMember(params, member, verdict.address);
  }
  return pass(command, params);
}

/**
 * Replaces the file paths of a command that sets a file input. Only the base name of a client's path counts, and must
 * be the name of an upload of this browser. Refuses the command if a file is unknown or the value is no list.
 */
function judgeUploads({ table, row, browser: { uploads } }: Rule, command: Command): Verdict {
  let params = command.params;
  for (const member of row.members ?? []) {
    const given = memberAt(params, member);
    if (isEmpty(given)) continue;
    const paths = Array.isArray(given) ? given.map((path) => uploadAt(path, uploads)) : [];
    const known = paths.filter((path) => path !== null);
    if (known.length === 0 || known.length < paths.length) return refuse(table, command, row.why);
    params = withMember(params, member, known);
  }
  return pass(command, params);
}

function uploadAt(path: unknown, uploads: JudgedBrowser['uploads']): string | null {
  return typeof path === 'string'
    ? uploads.findPath(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1))
    : null;
}

/**
 * Returns a function that sets a member to `value`. An absent member stays absent, so that the command keeps its
 * meaning.
 */
function setting(value: string): (params: JsonObject, member: string) => JsonObject {
  return (params, member) => (memberAt(params, member) === undefined ? params : withMember(params, member, value));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

/**
 * Returns whether a value is a number within the bounds of a row. True for an absent value, because Chromium then uses
 * its default.
 */
function isWithin(value: unknown, { min = -Infinity, max = Infinity }: Row): boolean {
  return value === undefined || (typeof value === 'number' && value >= min && value <= max);
}

/**
 * Returns the verdict that sends a command to the browser. With unchanged params it contains the same command object,
 * which shows that the command was not rewritten.
 */
function pass(command: Command, params: JsonObject): Verdict {
  return { kind: 'pass', command: params === command.params ? command : { ...command, params } };
}

/** Returns the verdict that answers a command with an empty result. With `detach`, the client is then disconnected. */
function done(command: Command, { detach }: { readonly detach: boolean }): Verdict {
  return { kind: 'answer', reply: reply(command, { result: {} }), detach };
}

function refuse(table: Table, command: Command, why: string): Verdict {
  return answer(command, getAnswer(table, 'refused', { method: command.method, why }));
}

function answer(command: Command, error: JsonObject): Verdict {
  return { kind: 'answer', reply: reply(command, { error }), detach: false };
}

function reply({ id, sessionId }: Command, outcome: Pick<CdpMessage, 'result' | 'error'>): CdpMessage {
  return { id, ...outcome, ...(sessionId === undefined ? {} : { sessionId }) };
}

/** Decision about a URL in a command. The browser receives `address` in place of the given text. */
type AddressVerdict =
  | { readonly kind: 'open'; readonly address: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'invalid' };

/**
 * Decides whether a URL may reach the browser: by its scheme, and by a list of single URLs that are allowed too. The
 * browser receives the URL as serialised by this parser, so that the browser's parser reads the same URL. An empty text
 * means about:blank and is allowed. Never throws.
 */
function addressVerdict(given: unknown, { schemes, exact }: RuleBook['cdpPolicy']['addresses']): AddressVerdict {
  if (typeof given !== 'string') return { kind: 'closed' };
  if (given === '') return { kind: 'open', address: given };
  const url = URL.parse(given);
  if (url === null) return { kind: 'invalid' };
  const [plain = ''] = url.href.split(/[?#]/, 1);
  const isOpen = schemes.includes(url.protocol.slice(0, -1)) || exact.includes(plain);
  return isOpen ? { kind: 'open', address: url.href } : { kind: 'closed' };
}

import { errors, runEvents, acceptedFields, cdpPolicy, testTasks } from '#generated/rules.ts';
import { page, table } from './markdown.ts';
import { exitCodes } from '../../src/cli/process-end.ts';
import { listRequirements } from '#conformance/index.ts';
import { modelRoute, type ModelRow, type Version } from '#contract/models.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { directiveRules } from '#planner/instructions/page-rules.ts';
import { plannerPhrases } from '#planner/phrases.ts';
import { fillTemplate } from '#contract/problems.ts';

/** Returns the page with every error of the service and the texts of schema violations. */
export function errorsPage(): string {
  const problems = errors.problems.map(({ code, status, body, message, source }) => [
    code,
    String(status),
    body,
    `\`${message}\``,
    source,
  ]);
  const violations = errors.violations.map(({ keyword, type, message }) => [keyword, type, `\`${message}\``]);
  return page(
    'Errors',
    'For authors of clients, from `spec/rules/errors.yaml`. Body `detail`: `{"detail": text}`; `validation`: `{"detail": [{loc, msg, type}]}`.',
    table(['Code', 'Status', 'Body', 'Message', 'Source'], problems),
    '## Schema violations',
    table(['Keyword', 'Type', 'Message'], violations),
  );
}

/** Returns the page with the kinds of events of a V4 run. */
export function eventsPage(): string {
  const rows = runEvents.events.map(({ type, when, data, source }) => [`\`${type}\``, when, data, source]);
  return page(
    'Events of a V4 run',
    'For authors of clients, from `spec/rules/run-events.yaml`. A client has to ignore kinds that it does not know. Ids grow; events are never changed or inserted.',
    table(['Type', 'When', 'Members of data', 'Source'], rows),
  );
}

const meanings = {
  ok: 'no violation found',
  violation:
    'at least one violation that the baseline does not accept, or a resource left alive; with `--baseline` also a known failure that no longer occurs; with `--certify` also a set that was not shown; with `--strict` also a requirement that was not judged; `svc spec diff`: a change that breaks clients; `svc diff`: a verdict that got worse; `svc coverage --strict`: an operation that was never exercised',
  usage: 'wrong usage or configuration; a file that cannot be written; a baseline entry for a cell that does not exist',
  unreachable: 'the target cannot be reached, is no such service, or refuses the key',
  interrupted:
    'the run is incomplete: it was interrupted, a limit of time or money ended it, the target could no longer be reached, or it refused every request of an operation',
  internal: 'a fault of the suite',
} satisfies Record<keyof typeof exitCodes, string>;

const meaningByName = new Map<string, string>(Object.entries(meanings));

/** Returns the page with the exit codes. */
export function exitCodesPage(): string {
  const rows = Object.entries(exitCodes).map(([name, code]) => [String(code), name, meaningByName.get(name) ?? '']);
  return page(
    'Exit codes',
    'For scripts that call `svc`. The codes are a public interface: a change to one is a breaking change.',
    table(['Code', 'Name', 'Meaning'], rows),
  );
}

/**
 * Returns the page with the members of requests and responses that have no effect, or only an effect under a condition.
 */
export function fieldsPage(): string {
  const rows = acceptedFields.fields.map(({ version, schema, field, effect, reason, source }) => [
    version,
    schema,
    `\`${field}\``,
    effect,
    reason,
    source,
  ]);
  return page(
    'Members without their full effect',
    'For authors of clients, from `spec/rules/accepted-fields.yaml`. The reference accepts and validates these request members, but has no effect for them, or only under a condition. Response members are null or a default where the condition does not hold.',
    table(['Generation', 'Body', 'Member', 'Effect', 'Why', 'Source'], rows),
  );
}

/** Returns the page with every requirement and law, and whether the suite checks it or why not. */
export function coveragePage(): string {
  const rows = listRequirements();
  const checked = rows.filter((row) => row.treatment === 'check').length;
  const areas = [...Map.groupBy(rows, (row) => row.area)].flatMap(([area, members]) => [
    `## ${area}`,
    table(
      ['Id', 'Level', 'Requirement', 'Treatment'],
      members.map(({ id, level, text, quote, profile, treatment, covers }) => [
        id,
        level,
        `${covers > 0 ? `${text} (${covers} rows)` : text}${quote === undefined ? '' : `<br>“${quoted(quote)}”`}`,
        profile === 'full' ? `${treatment} (\`--profile full\`)` : treatment,
      ]),
    ),
  ]);
  return page(
    'Coverage',
    `${rows.length} requirements and laws; ${checked} have a check, ${rows.length - checked} are excluded with a reason. \`svc explain <id>\` shows more.`,
    ...areas,
  );
}

/**
 * Returns a quote of the contract as Markdown. Escapes `<` outside of code spans, because Markdown would treat
 * placeholders such as `<id>` as HTML tags.
 */
function quoted(quote: string): string {
  return quote.replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part));
}

/** Returns the page with model names and their accepted parameters. */
export function modelsPage(): string {
  const { models, thinkingLevels, modelParams } = defaultRules;
  const levels = (version: 'v2' | 'v3', name: string): string =>
    thinkingLevels[version].find((row) => row.model === name)?.levels.join(', ') || 'none';
  const rows = (version: Version): readonly (ModelRow & { readonly intent?: string })[] => models[version].models;
  const route = (version: Version, name: string): string => {
    const found = modelRoute(defaultRules, version, name);
    return found === null ? '' : `${found.provider}: ${found.name}`;
  };
  const neutral = (version: 'v2' | 'v3'): string[][] =>
    rows(version).map((row) => [
      row.name,
      row.aliasOf ?? '',
      row.provider,
      row.availability,
      route(version, row.name),
      levels(version, row.name),
      row.intent ?? '',
    ]);
  const native = models.v4.models.map((row) => {
    const paths = modelParams.matrix
      .filter(({ model }) => model === row.name)
      .map(({ path, values }) => `\`${path}\`: ${values.join(', ')}`);
    return [row.name, row.provider, route('v4', row.name), paths.join('<br>') || 'none'];
  });
  const head = ['Model', 'Alias of', 'Provider', 'Availability', 'Name at the provider', 'thinkingLevel', 'Meant for'];
  return page(
    'Models',
    'For authors of clients, from `spec/rules/`. Availability: native = always; own-key = only with the own-key option; direct-or-cloud = native when the service has a direct provider key or a cloud-platform route; cloud = native through the cloud-platform route.',
    '## V3',
    table(head, neutral('v3')),
    '## V2',
    table(head, neutral('v2')),
    '## V4',
    table(['Model', 'Provider', 'Name at the provider', 'modelParams'], native),
  );
}

/** Name of each DevTools client, and how it connects to the `cdpUrl` of a browser. */
const clients: readonly (readonly [string, string])[] = [
  ['Playwright', '`chromium.connectOverCDP(cdpUrl)`, also with http(s) in place of ws(s)'],
  ['Puppeteer, `browserWSEndpoint`', '`puppeteer.connect({ browserWSEndpoint: cdpUrl })`'],
  [
    'Puppeteer, `browserURL`',
    "`puppeteer.connect({ browserURL: cdpUrl.replace(/^ws/, 'http') })`. Releases that drop the path of a `browserURL` need the address of a tunnel: `browserURL: 'http://127.0.0.1:9222'` (25.16 keeps the path)",
  ],
  [
    'chrome-remote-interface',
    "a page: `svc tunnel <cdpUrl>`, then `CDP({ host: '127.0.0.1', port: 9222 })`. The browser: `CDP({ target: cdpUrl, local: true })`, with `Target.attachToTarget({ targetId, flatten: true })` and its `sessionId` for a page",
  ],
  ['Selenium', "`svc tunnel <cdpUrl>`, then `options.debuggerAddress('127.0.0.1:9222')`"],
];

/** Returns the page about DevTools clients: how they connect, and which commands they may send. */
export function browsersPage(): string {
  const { domains, addresses, methods } = cdpPolicy;
  const rows = methods.map((row) => [
    `\`${row.method}\``,
    row.action,
    'members' in row ? row.members.map((member) => `\`${member}\``).join(', ') : '',
    'min' in row ? `${row.min} to ${row.max}` : '',
    row.why,
  ]);
  return page(
    'Commands that a DevTools client may send',
    'For users of standalone browsers: how a client connects, and which commands it may send. `cdpUrl` is a member of the answer that created the browser. `svc tunnel <cdpUrl> --port 9222` gives it a local `host:port` without a token.',
    table(['Client', 'Call'], clients),
    'From `spec/rules/cdp-policy.yaml`; applied to every message of every client. `answer`: `{}` at once, and this client is detached. `refuse`: an error with the reason. `drop`: the members are removed. `folder`: the members are replaced by the downloads folder of the browser. `address`: the members have to be URLs of an open scheme. `empty`: the members have to be absent or empty. `uploads`: the last part of each path has to be the name of a file that was uploaded to this browser. `resize`: refused unless the browser was created with allowResizing. `range`: the members have to be absent or numbers in the range. Every row of a method applies.',
    `Open schemes: ${addresses.schemes.join(', ')}; also ${addresses.exact.join(', ')}.`,
    table(['Method', 'Action', 'Members', 'Range', 'Why'], rows),
    `Every other method is passed on when its domain is open: ${domains.open.join(', ')}.`,
    'Files for `uploads`: `POST /api/v2/files/browsers/{id}/presigned-url` accepts the id of a V4 browser and answers with a form for one file. V4 has no such operation.',
    "Not available for a remote browser: Playwright's `download.saveAs()` and `download.path()`, because the files are on the machine of the service. GET /browsers/{id}/downloads lists them with URLs.",
  );
}

/** Returns the page about the offline planner's instructions and the test tasks. */
export function agentPage(): string {
  const phrases = plannerPhrases.map(({ name, description, examples }) => [
    name,
    description,
    examples.map((example) => `\`${example}\``).join('<br>'),
  ]);
  const rules = directiveRules.map(({ name, description, examples }) => [
    name,
    description,
    examples.map((example) => `\`${example}\``).join('<br>'),
  ]);
  return page(
    'The offline planner',
    'For users of a service without a model provider: the instructions that the offline planner understands. They are joined by "and", "then", commas or full stops. The planner drives a real Chromium.',
    table(['Instruction', 'What it does', 'Examples'], phrases),
    '## On a page',
    'Tasks in everyday language are read sentence by sentence; names are looked up on the current page (decision 2). The URL may be anywhere in the task. Questions (`What is the total?`, `Tell me the order number`) are answered with quotes of the page. A task with a part that the planner does not understand ends before any action.',
    table(['Instruction', 'What it does', 'Examples'], rules),
    '## Test tasks',
    'Tasks with a defined course, for `svc mock --stateful` and `svc serve --control ADDRESS:PORT`. A word after `#` at the end has no meaning. The columns V2, V3 and V4 show the end state.',
    table(['Task', 'What happens', 'V2', 'V3', 'V4'], testTaskRows()),
  );
}

function testTaskRows(): string[][] {
  const numbers = Object.fromEntries(Object.entries(testTasks.numbers).map(([name, value]) => [name, String(value)]));
  return testTasks.tasks.map(({ name, does, v2, v3, v4, ...row }) => {
    const parameter = 'parameter' in row ? ` (${fillTemplate(row.parameter, numbers)})` : '';
    return [`\`svc-test: ${name}\`${parameter}`, fillTemplate(does, numbers), v2, v3, v4];
  });
}

type Machine = (typeof defaultRules)['lifecycle']['machines'][number];
type View = (typeof defaultRules)['lifecycle']['views'][number];

/** Returns the page with states and transitions of every resource. */
export function lifecyclePage(): string {
  return page(
    'Life cycles',
    'For authors of clients, from `spec/rules/lifecycle.yaml`: the states of each resource, and the transitions between them.',
    ...defaultRules.lifecycle.machines.flatMap(machineBlocks),
    '## Status of a run in each generation',
    table(['Generation', 'Internal state', 'Status', 'Source'], defaultRules.lifecycle.views.map(viewRow)),
  );
}

function viewRow({ version, run, status, source }: View): string[] {
  return [version, run, status, source];
}

function machineBlocks(machine: Machine): string[] {
  const states = machine.states.map(({ name, kind, meaning, source }) => [name, kind, meaning, source]);
  const blocks = [`## ${machine.machine} (${machine.version})`, table(['State', 'Kind', 'Meaning', 'Source'], states)];
  if (machine.transitions.length === 0) return blocks;
  const moves = machine.transitions.map(({ from, trigger, condition, to, source }) => [
    from,
    trigger,
    condition,
    to,
    source,
  ]);
  const decided = (machine.decisions ?? []).map(({ from, id, text, to, source }) => [from, id, text, to, source]);
  return [...blocks, diagram(machine), table(['From', 'Trigger', 'Condition', 'To', 'Source'], [...moves, ...decided])];
}

function diagram(machine: Machine): string {
  const written = machine.transitions
    .filter((row) => row.from !== '*')
    .map(({ from, to, trigger }) => `  ${from} --> ${to}: ${trigger}`);
  const decided = (machine.decisions ?? []).map(({ from, to, id }) => `  ${from} --> ${to}: ${id}`);
  return ['```mermaid', 'stateDiagram-v2', ...new Set([...written, ...decided]), '```'].join('\n');
}

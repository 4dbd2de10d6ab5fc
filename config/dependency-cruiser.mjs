import manifest from '../package.json' with { type: 'json' };

/** The import rules of ARCHITECTURE.md. `comment` is the reason of a rule, which the tool prints beside a violation. */

/** Matches the files of this project. */
const ours = '^(generated|src|conformance|tools|bench|proofs|test|examples|fixtures)/';

/** Matches the TypeScript files of folders that have an alias in package.json. */
const aliased = `^(${Object.values(manifest.imports)
  .map((path) => path.replace(/^\.\/(.*)\/\*\.\w+$/, '$1'))
  .join('|')})/.*\\.ts$`;

const tests = '(\\.test\\.ts$|/testing/)';

/** The folders of the service from the lowest to the highest level. Folders of one level do not import each other. */
const levels = [
  [['contract', 'The rules of the contract import only the generated tables and src/lib.']],
  [['store', 'Only the store contains SQL; it does not depend on the uses of its rows.']],
  [['browsers', 'Browsers do not depend on sessions, tasks or costs.']],
  [
    ['agent', 'An agent works with a tab and does not depend on sessions.'],
    ['accounts', 'Projects, keys and money do not depend on sessions.'],
  ],
  [['planner', 'The offline planner is an agent that can be removed.']],
  [
    ['cluster', 'Processes that share a database know the owner of a session, and not its tasks.'],
    ['platform', 'Mail, metrics, traces and backups watch the service.'],
  ],
  [['sessions', 'The life of sessions does not depend on a generation of the API.']],
  [['operations', 'An operation reads a request and renders a record; it does not depend on HTTP.']],
  [['api', 'The HTTP edge composes the service.']],
];

/** Rule of a folder of the service: it imports folders of lower levels. Its tests may also import other folders. */
const serviceFolder = (name, comment, below) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^src/${name}/`, pathNot: tests },
  to: {
    path: ours,
    pathNot: ['^generated/', '^src/lib/', `^src/${name}/`, ...below.map(([other]) => `^src/${other}/`)],
  },
});

/** The folders of the suite, each with the folders that it imports and the reason. */
/** @type {readonly (readonly [name: string, below: readonly string[], comment: string])[]} */
const suiteFolders = [
  ['core', [], 'Check, scenario, target, exchange and report as data import nothing of the suite.'],
  ['transport', ['core'], 'The HTTP client and the DevTools clients do not depend on resources and requirements.'],
  ['ledger', ['core', 'transport'], 'The ledger registers what a run creates; it does not depend on requirements.'],
  ['provider-stub', ['core', 'transport'], 'The provider stub does not depend on requirements.'],
  ['recording', ['core', 'transport'], 'A recording is a file format; the runner writes it and plays it back.'],
  [
    'common',
    ['core', 'transport', 'ledger'],
    'Code that several areas share does not depend on an area or a property.',
  ],
  [
    'properties',
    ['core', 'transport', 'ledger', 'common'],
    'Laws, random inputs and state machines do not depend on a single area.',
  ],
  [
    'areas',
    ['core', 'transport', 'ledger', 'common', 'provider-stub', 'properties'],
    'Checks and scenarios do not depend on how a run plans, executes or reports them.',
  ],
  [
    'runner',
    ['core', 'transport', 'ledger', 'common', 'provider-stub', 'recording', 'properties', 'areas'],
    'The runner returns a report as data; it does not render it.',
  ],
  ['report', ['core', 'ledger', 'properties', 'common', 'runner'], 'A renderer reads a report; it sends nothing.'],
];

/** Rule of a folder: its files may import only those files of this project that match `to`. */
const layer = ({ name, comment, from, to }) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: ours, pathNot: [from, ...to] },
});

export default {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Two files that import each other belong in one file, or need a third file for what they share.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-circles-of-types',
      comment: 'A type that two files need belongs in the lower one of them, or in a third file.',
      severity: 'error',
      from: { path: ours, pathNot: tests },
      to: { circular: true },
    },
    {
      name: 'no-orphan-packages',
      comment: 'Each imported package is listed in package.json.',
      severity: 'error',
      from: { path: ours },
      // An import of this package by its own name resolves to src/library.
      to: { pathNot: '^src/library/', dependencyTypes: ['unknown', 'undetermined', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'mcp-sdk-in-integrations',
      comment: 'Only integrations import the SDK of MCP, which is loaded with the first connection.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/agent/integrations/', tests] },
      to: { path: '@modelcontextprotocol/' },
    },
    {
      name: 'sql-only-in-store',
      comment: 'Only the store imports a query builder or a database driver; other folders call its functions.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/store/', tests] },
      to: { path: '(^|node_modules/)(kysely|pg|node:sqlite|sqlite)(/|$)' },
    },
    {
      name: 'maybe-promise',
      comment: 'Only the request path returns a value or a promise of it; other code returns promises.',
      severity: 'error',
      from: {
        path: '^(src|conformance)/',
        pathNot: [
          '^src/(api|operations|store|mock)/',
          '^src/accounts/keyring\\.ts$',
          '^src/sessions/(create-engine|recordings/create-recordings)\\.ts$',
          tests,
        ],
      },
      to: { path: '^src/lib/maybe-promise\\.ts$' },
    },
    layer({
      name: 'generated',
      comment: 'Generated files import no other file of this project.',
      from: '^generated/',
      to: [],
    }),
    layer({ name: 'lib', comment: 'Helpers do not depend on the service.', from: '^src/lib/', to: [] }),
    {
      name: 'contract-is-pure',
      comment: 'The rules of the contract import no package and no Node module.',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'] },
    },
    ...levels.flatMap((level, at) =>
      level.map(([name, comment]) => serviceFolder(name, comment, levels.slice(0, at).flat())),
    ),
    layer({
      name: 'client',
      comment: 'The client also runs in pages: it imports only types and a few facts.',
      from: '^src/client/',
      to: ['^generated/(client-facts|v[234])\\.ts$'],
    }),
    {
      name: 'client-is-portable',
      comment: 'The client imports no Node module.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: { dependencyTypes: ['core'] },
    },
    layer({
      name: 'library',
      comment: 'The exports of the package compose the client, the mocks and the judgement of clients.',
      from: '^src/library/',
      to: ['^src/client/', '^src/cli/(mock|check-client)/', '^conformance/index\\.ts$'],
    }),
    layer({
      name: 'mock',
      comment: 'The mock never imports the backend.',
      from: '^src/mock/',
      to: ['^src/api/http/', '^src/operations/operation\\.ts$', '^src/contract/', '^src/lib/', '^generated/'],
    }),
    layer({
      name: 'live-view',
      comment: 'The script of the live view runs in a page: it imports only the messages of its websocket.',
      from: '^src/pages/live-view/',
      to: ['^src/contract/live-messages\\.ts$'],
    }),
    {
      name: 'live-view-apart',
      comment: 'The service serves scripts of pages from generated text, and does not import them.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/pages/live-view/' },
      to: { path: '^src/pages/live-view/' },
    },
    layer({
      name: 'console',
      comment: 'The console runs in a page: it imports only the types of its HTTP messages.',
      from: '^src/pages/console/',
      to: ['^src/contract/console-messages\\.ts$', '^generated/(v[234]|states)\\.ts$'],
    }),
    {
      name: 'console-apart',
      comment: 'The service serves scripts of pages from generated text, and does not import them.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/pages/console/' },
      to: { path: '^src/pages/console/' },
    },
    layer({
      name: 'request-log',
      comment: 'The request log runs in a page: it imports only the types of its HTTP messages.',
      from: '^src/pages/request-log/',
      to: ['^src/contract/log-messages\\.ts$'],
    }),
    {
      name: 'request-log-apart',
      comment: 'The mock serves scripts of pages from generated text, and does not import them.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/pages/request-log/' },
      to: { path: '^src/pages/request-log/' },
    },
    layer({
      name: 'fixtures',
      comment: 'A site that the agent visits does not depend on the service.',
      from: '^fixtures/',
      to: [],
    }),
    layer({
      name: 'cli',
      comment:
        'The command line composes all parts. It imports the suite through its index, and functions that escape text and read files.',
      from: '^src/cli/',
      to: ['^src/', '^generated/', '^conformance/(?:index|core/(?:safe-text|data-file|suite-error))\\.ts$'],
    }),
    layer({
      name: 'conformance',
      comment: 'The suite judges from outside: it shares generated facts with the service, and no code.',
      from: '^conformance/',
      to: ['^generated/'],
    }),
    ...suiteFolders.map(([name, below, comment]) => ({
      name: `suite-${name}`,
      comment,
      severity: 'error',
      from: { path: `^conformance/${name}/`, pathNot: tests },
      to: {
        path: '^conformance/',
        pathNot: [`^conformance/${name}/`, ...below.map((other) => `^conformance/${other}/`)],
      },
    })),
    {
      name: 'generations-apart',
      comment: 'A generation can be deleted in one commit: V2, V3 and V4 never import each other.',
      severity: 'error',
      from: { path: '^src/operations/(v[234])/' },
      to: { path: '^src/operations/v[234]/', pathNot: '^src/operations/$1/' },
    },
    {
      name: 'aliases',
      comment:
        'A folder with an alias in package.json is imported by this alias from other folders. Exceptions: the client and the pages, which do not run in Node, and the examples, which are programs of users.',
      severity: 'error',
      from: { path: '^(src/[^/]+|[^/]+)/', pathNot: '^(src/(client|pages)|examples)/' },
      to: {
        path: aliased,
        pathNot: '^$1/',
        dependencyTypesNot: ['aliased-subpath-import'],
      },
    },
    {
      name: 'tests-stay-tests',
      comment:
        'Only tests import tests and their helpers. Exceptions: the long proofs, which run them, and the page about the kill matrix, which lists them.',
      severity: 'error',
      from: {
        path: '^(src|conformance|tools|proofs|bench)/',
        pathNot: '(\\.test\\.ts$|/testing/|^(proofs|bench/peers)/|^tools/pages/teeth-page\\.ts$)',
      },
      to: { path: '(\\.test\\.ts$|/testing/|^test/)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};

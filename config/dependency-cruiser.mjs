/** The import law of ARCHITECTURE.md as rules: what is not allowed here is an error. */
const ours = '^(generated|src|conformance|tools|bench|proofs|test|examples|fixtures)/';

const tests = '(\\.test\\.ts$|/testing/)';

/** The rooms of the service from the lowest to the highest level. Rooms of one level do not import each other. */
const levels = [
  [['contract', 'The rules of the contract see the tables and nothing else.']],
  [['store', 'Only the store knows SQL; it knows nothing of what its rows are used for.']],
  [['browsers', 'Browsers know no session, task or cost.']],
  [
    ['agent', 'An agent works with a tab and knows no session.'],
    ['accounts', 'Projects, keys and their money know no session.'],
  ],
  [['planner', 'The offline planner is an agent that can be taken away.']],
  [
    ['cluster', 'Processes that share a database know the owner of a session, not its work.'],
    ['platform', 'Mail, metrics, traces and backups watch the service.'],
  ],
  [['sessions', 'Sessions in motion know no generation of the API.']],
  [['operations', 'An operation reads a request and renders a record; it knows nothing of HTTP.']],
  [['api', 'The HTTP edge composes the service.']],
];

/** A room of the service: it imports rooms of lower levels. Its tests may import others, to compose what they test. */
const room = (name, comment, below) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^src/${name}/`, pathNot: tests },
  to: {
    path: ours,
    pathNot: ['^generated/', '^src/lib/', `^src/${name}/`, ...below.map(([other]) => `^src/${other}/`)],
  },
});

/** The rooms of the suite, each with the rooms that it imports. */
/** @type {readonly (readonly [name: string, below: readonly string[], comment: string])[]} */
const suiteRooms = [
  ['core', [], 'Check, scenario, target, exchange and report as data import nothing of the suite.'],
  ['transport', ['core'], 'The HTTP client and the DevTools clients know no resource and no requirement.'],
  ['ledger', ['core', 'transport'], 'The ledger knows what a run creates, not which requirement needs it.'],
  ['provider-stub', ['core', 'transport'], 'The provider stub knows no requirement.'],
  ['recording', ['core', 'transport'], 'A recording is a file format; the runner writes it and plays it back.'],
  ['common', ['core', 'transport', 'ledger'], 'What several areas share knows no area and no property.'],
  [
    'properties',
    ['core', 'transport', 'ledger', 'common'],
    'Laws, drawn inputs and state machines know no single area.',
  ],
  [
    'areas',
    ['core', 'transport', 'ledger', 'common', 'provider-stub', 'properties'],
    'Checks and scenarios do not know how a run plans, drives or reports them.',
  ],
  [
    'runner',
    ['core', 'transport', 'ledger', 'common', 'provider-stub', 'recording', 'properties', 'areas'],
    'The runner returns a report as data; it does not render it.',
  ],
  ['report', ['core', 'ledger', 'properties', 'common', 'runner'], 'A renderer reads a report; it sends nothing.'],
];

/** One layer: files below `from` may import of our own files only those that match `to`. */
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
      comment: 'Two files that import each other are one file or need a third.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-circles-of-types',
      comment: 'A type that two files need stands in the lower one of them, or in a third.',
      severity: 'error',
      from: { path: ours, pathNot: tests },
      to: { circular: true },
    },
    {
      name: 'no-orphan-packages',
      comment: 'What is imported stands in package.json.',
      severity: 'error',
      from: { path: ours },
      // What imports the package by its own name means our sources.
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
    layer({ name: 'generated', comment: 'Generated files import nothing of ours.', from: '^generated/', to: [] }),
    layer({ name: 'lib', comment: 'Helpers know nothing of the service.', from: '^src/lib/', to: [] }),
    {
      name: 'contract-is-pure',
      comment: 'The rules of the contract import no package and no Node module.',
      severity: 'error',
      from: { path: '^src/contract/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'] },
    },
    ...levels.flatMap((level, at) => level.map(([name, comment]) => room(name, comment, levels.slice(0, at).flat()))),
    layer({
      name: 'client',
      comment: 'The client runs in pages too: of ours it knows the types and a few facts.',
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
      comment: 'What programs of others import composes the client, the mocks and the judgement of clients.',
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
      comment: 'The script of the live view runs in a page: of ours it knows only what is said over its websocket.',
      from: '^src/pages/live-view/',
      to: ['^src/contract/live-messages\\.ts$'],
    }),
    {
      name: 'live-view-apart',
      comment: 'What runs in a page reaches the service as one generated text.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/pages/live-view/' },
      to: { path: '^src/pages/live-view/' },
    },
    layer({
      name: 'console',
      comment: 'The console runs in a page: of ours it knows only what is said over HTTP.',
      from: '^src/pages/console/',
      to: ['^src/contract/console-messages\\.ts$', '^generated/(v[234]|states)\\.ts$'],
    }),
    {
      name: 'console-apart',
      comment: 'What runs in a page reaches the service as one generated text.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/pages/console/' },
      to: { path: '^src/pages/console/' },
    },
    layer({
      name: 'request-log',
      comment: 'The page of the request log runs in a page: of ours it knows only what is said over HTTP.',
      from: '^src/pages/request-log/',
      to: ['^src/contract/log-messages\\.ts$'],
    }),
    {
      name: 'request-log-apart',
      comment: 'What runs in a page reaches the mock as one generated text.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/pages/request-log/' },
      to: { path: '^src/pages/request-log/' },
    },
    layer({
      name: 'fixtures',
      comment: 'A site that the agent visits knows nothing of the service.',
      from: '^fixtures/',
      to: [],
    }),
    layer({
      name: 'cli',
      comment:
        'The command line composes. It enters the suite through its index; escaping text, reading files and their errors need nothing else of the suite.',
      from: '^src/cli/',
      to: ['^src/', '^generated/', '^conformance/(?:index|core/(?:safe-text|data-file|suite-error))\\.ts$'],
    }),
    layer({
      name: 'conformance',
      comment: 'The suite judges from outside: it shares the facts, never the judgement.',
      from: '^conformance/',
      to: ['^generated/'],
    }),
    ...suiteRooms.map(([name, below, comment]) => ({
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
      name: 'tests-stay-tests',
      comment:
        'Nothing but a test imports a test or its helpers; the kill matrix is a list of them, and the long proofs run them.',
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

/** The import law of ARCHITECTURE.md as rules: what is not allowed here is an error. */
const ours = '^(generated|src|conformance|scripts|bench|test|examples|fixtures)/';

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
      name: 'no-orphan-packages',
      comment: 'What is imported stands in package.json.',
      severity: 'error',
      from: { path: ours },
      // What imports the package by its own name means our sources.
      to: { pathNot: '^src/library/', dependencyTypes: ['unknown', 'undetermined', 'npm-no-pkg', 'npm-unknown'] },
    },
    layer({ name: 'generated', comment: 'Generated files import nothing of ours.', from: '^generated/', to: [] }),
    layer({
      name: 'domain',
      comment: 'The domain sees the tables and nothing else.',
      from: '^src/domain/',
      to: ['^generated/'],
    }),
    {
      name: 'domain-is-pure',
      comment: 'The domain imports no package and no Node module.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'] },
    },
    layer({
      name: 'http',
      comment: 'The request line knows the domain, not who answers.',
      from: '^src/http/',
      to: ['^src/domain/', '^generated/'],
    }),
    layer({
      name: 'backend',
      comment: 'The backend answers through the request line.',
      from: '^src/backend/',
      to: ['^src/http/', '^src/domain/', '^generated/'],
    }),
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
      comment: 'What programs of others import composes the client and the mocks.',
      from: '^src/library/',
      to: ['^src/client/', '^src/cli/mock/'],
    }),
    layer({
      name: 'mock',
      comment: 'The mock never imports the backend.',
      from: '^src/mock/',
      to: ['^src/http/', '^src/domain/', '^generated/'],
    }),
    layer({
      name: 'live-view',
      comment: 'The script of the live view runs in a page: of ours it knows only what is said over its websocket.',
      from: '^src/live-view/',
      to: ['^src/domain/live-messages\\.ts$'],
    }),
    {
      name: 'live-view-apart',
      comment: 'What runs in a page reaches the service as one generated text.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/live-view/' },
      to: { path: '^src/live-view/' },
    },
    layer({
      name: 'console',
      comment: 'The console runs in a page: of ours it knows only what is said over HTTP.',
      from: '^src/console/',
      to: ['^src/domain/console-messages\\.ts$', '^generated/v[234]\\.ts$'],
    }),
    {
      name: 'console-apart',
      comment: 'What runs in a page reaches the service as one generated text.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/console/' },
      to: { path: '^src/console/' },
    },
    layer({
      name: 'request-log',
      comment: 'The page of the request log runs in a page: of ours it knows only what is said over HTTP.',
      from: '^src/request-log/',
      to: ['^src/domain/log-messages\\.ts$'],
    }),
    {
      name: 'request-log-apart',
      comment: 'What runs in a page reaches the mock as one generated text.',
      severity: 'error',
      from: { path: ours, pathNot: '^src/request-log/' },
      to: { path: '^src/request-log/' },
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
      to: ['^src/', '^generated/', '^conformance/(?:index|harness/(?:safe-text|data-file|suite-error))\\.ts$'],
    }),
    layer({
      name: 'conformance',
      comment: 'The suite judges from outside: it shares the facts, never the judgement.',
      from: '^conformance/',
      to: ['^generated/'],
    }),
    {
      name: 'generations-apart',
      comment: 'A generation can be deleted in one commit: V2, V3 and V4 never import each other.',
      severity: 'error',
      from: { path: '^src/backend/(v[234])/' },
      to: { path: '^src/backend/v[234]/', pathNot: '^src/backend/$1/' },
    },
    {
      name: 'tests-stay-tests',
      comment:
        'Nothing but a test imports a test or its helpers; the kill matrix is a list of them, and the long proofs run them.',
      severity: 'error',
      from: {
        path: '^(src|conformance|scripts)/',
        pathNot: '(\\.test\\.ts$|/testing/|^scripts/long/|^scripts/pages/teeth-page\\.ts$)',
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

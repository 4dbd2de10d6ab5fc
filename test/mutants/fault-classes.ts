import { listRequirements } from '#conformance/index.ts';

/** Classes of faults with the areas of their rows. */
const classes = {
  authentication: ['authentication'],
  tenancy: ['tenancy', 'two-keys'],
  'life cycle': ['lifecycle', 'laws-stateful', 'v4-queue', 'v3-messages'],
  semantics: [
    'models',
    'v3-thinking',
    'v4-model-params',
    'mapping',
    'versioning',
    'values',
    'v4-run-members',
    'provider-calls',
    'session-history',
    'identity',
  ],
  operations: [
    'v2-tasks',
    'v3-operations',
    'v4-runs',
    'service',
    'account',
    'profiles',
    'workspaces',
    'v2-sessions',
    'v4-sessions',
  ],
  shape: [
    'session-record',
    'answers',
    'interface',
    'v2-task-views',
    'v3-session-views',
    'v4-run-views',
    'browser-views',
    'recordings',
  ],
  text: ['errors'],
  'side effects': ['side-effects'],
  CDP: ['browsers', 'browser-clients', 'browser-profiles', 'browser-life', 'live-views'],
  'events and pages': ['events', 'v4-run-events', 'pages'],
  files: ['files', 'v2-files', 'v4-attachments'],
  'secrets and addresses': ['secrets', 'shares', 'purge', 'addresses'],
  'money and time': ['limits'],
} as const;

/** A class of faults. */
export type FaultClass = keyof typeof classes;

const named: readonly (readonly [string, readonly string[]])[] = Object.entries(classes);

/** The names of the classes, in the order of `classes`. */
export const faultClasses: readonly string[] = named.map(([name]) => name);

/** Returns the fault class of a requirement row. Throws for an area without a class, and for an unknown row. */
export function findFaultClass(id: string): string {
  const area = listRequirements([id]).find((row) => row.id === id)?.area ?? '';
  const found = named.find(([, areas]) => areas.includes(area));
  if (found === undefined) throw new Error(`${id}: the area "${area}" is in no class; add it to fault-classes.ts`);
  return found[0];
}

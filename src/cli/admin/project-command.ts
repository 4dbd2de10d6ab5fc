import { randomUUID } from 'node:crypto';
import { Command, InvalidArgumentError } from 'commander';
import { addDatabaseOptions, readCredit } from '../flag-values.ts';
import { readName } from './values.ts';
import type { DatabaseLocation } from './admin-database.ts';
import { isTimeZone } from '#sessions/schedules/schedule-times.ts';
import type { Grant } from '#accounts/api-keys.ts';

/** Creates `svc admin project`, which manages projects and their limits. */
export function projectCommand(): Command {
  const projects = new Command('project').description('Projects: each has its own resources, keys, credit and limits.');
  projects.addCommand(
    addDatabaseOptions(addGrantFlags(new Command('create')))
      .description('Create a project, and print its id.')
      .argument('<name>', 'unique name of the project', readName)
      .action((name: string, flags: GrantedFlags) => create(name, flags)),
  );
  projects.addCommand(
    addDatabaseOptions(addGrantFlags(new Command('set')))
      .description(
        'Change credit, limits or zero data retention of a project. Credit counts from the next model call, the request rate and zero data retention from the next request, the rest for sessions, browsers and schedules that begin later.',
      )
      .argument('<project>', 'id or name of the project')
      .action((project: string, flags: GrantedFlags) => change(project, flags)),
  );
  projects.addCommand(
    addDatabaseOptions(new Command('list'))
      .description('List the projects, oldest first.')
      .option('--json', 'as JSON, money in micro-dollars and times in milliseconds since 1970')
      .action((flags: ListFlags) => list(flags)),
  );
  projects.addCommand(
    addDatabaseOptions(new Command('show'))
      .description('Show a project with its living sessions and browsers, its spend and its keys.')
      .argument('[project]', 'id or name of the project (default: the only one)')
      .option('--json', 'as JSON, money in micro-dollars and times in milliseconds since 1970')
      .action((project: string | undefined, flags: ListFlags) => show(project, flags)),
  );
  return projects;
}

type DataFlags = DatabaseLocation;

interface ListFlags extends DataFlags {
  readonly json?: true;
}

interface GrantedFlags extends DataFlags, GrantFlags {}

async function create(name: string, flags: GrantedFlags): Promise<void> {
  const { withDatabase, AdminFault } = await import('./admin-database.ts');
  const { createProjects } = await import('#accounts/projects.ts');
  const wanted = { id: randomUUID(), name, grant: readGrant(flags), nowMs: Date.now() };
  const made = await withDatabase(flags, (db) => createProjects(db).create(wanted));
  if (made === null) throw new AdminFault(`found an existing project with the name ${name}. Expected a unique name`);
  console.log(made.id);
}

async function change(project: string, flags: GrantedFlags): Promise<void> {
  const { withDatabase, chooseProject } = await import('./admin-database.ts');
  const { createProjects } = await import('#accounts/projects.ts');
  const { projectTable } = await import('./tables.ts');
  await withDatabase(flags, async (db) => {
    const changed = await createProjects(db).change(await chooseProject(db, project), readGrant(flags));
    console.log(projectTable([changed]));
  });
}

async function list({ json, ...place }: ListFlags): Promise<void> {
  const { withDatabase } = await import('./admin-database.ts');
  const { createProjects } = await import('#accounts/projects.ts');
  const { projectTable } = await import('./tables.ts');
  const projects = await withDatabase(place, (db) => createProjects(db).list());
  console.log(json === true ? JSON.stringify(projects, null, 2) : projectTable(projects));
}

async function show(project: string | undefined, { json, ...place }: ListFlags): Promise<void> {
  const { withDatabase, chooseProject } = await import('./admin-database.ts');
  const { describeProject } = await import('./tables.ts');
  const { projectText } = await import('./values.ts');
  const nowMs = Date.now();
  const found = await withDatabase(place, async (db) => describeProject(db, await chooseProject(db, project), nowMs));
  console.log(json === true ? JSON.stringify(found, null, 2) : projectText(found, nowMs));
}

/** Values of the options that {@link addGrantFlags} adds. */
interface GrantFlags {
  /** Credit in micro-dollars; null for unlimited credit. */
  readonly credit?: number | null;
  /** Maximum number of active sandboxes; null for the default of the service. */
  readonly sessionsMax?: number | null;
  /** Maximum number of requests per second; null for the default of the service. */
  readonly requestsPerSecond?: number | null;
  readonly zeroDataRetention?: boolean;
  /** IANA name of the time zone of new schedules. */
  readonly timeZone?: string;
}

/** Adds the options for the credit, the limits, the time zone and the zero data retention of a project. */
function addGrantFlags(command: Command): Command {
  return command
    .option('--credit <usd>', 'credit in US dollars, or unlimited', readCredit)
    .option(
      '--sessions-max <number>',
      'maximum number of living sessions, or default for the value of svc serve',
      countOrDefault,
    )
    .option(
      '--requests-per-second <number>',
      'maximum requests per second, or default for the value of svc serve',
      countOrDefault,
    )
    .option('--time-zone <name>', 'time zone of new scheduled tasks, such as Europe/Berlin', timeZone)
    .option('--zero-data-retention', 'zero data retention: its sessions can be purged')
    .option('--no-zero-data-retention', 'no zero data retention');
}

/** Converts the options to a grant; absent options change nothing. */
function readGrant({ credit, sessionsMax, requestsPerSecond, zeroDataRetention, timeZone: zone }: GrantFlags): Grant {
  return {
    ...(credit === undefined ? {} : { creditMicros: credit }),
    ...(sessionsMax === undefined ? {} : { sessionsMax }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...(zeroDataRetention === undefined ? {} : { zeroDataRetention }),
    ...(zone === undefined ? {} : { timeZone: zone }),
  };
}

function timeZone(name: string): string {
  if (isTimeZone(name)) return name;
  throw new InvalidArgumentError('Expected the IANA name of a time zone such as Europe/Berlin.');
}

function countOrDefault(text: string): number | null {
  if (text === 'default') return null;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number of at least 1, or default.');
}

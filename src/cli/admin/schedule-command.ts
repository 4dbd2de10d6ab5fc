import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { normaliseModel, modelRow } from '#contract/models.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { Schedule, Schedules } from '#sessions/schedules/schedules.ts';
import { addDatabaseOptions, readCredit } from '../flag-values.ts';
import { printLine } from '../print.ts';
import type { DatabaseLocation } from './admin-database.ts';

/** Creates `svc admin schedule`, which manages the scheduled tasks of projects. */
export function scheduleCommand(): Command {
  const schedules = new Command('schedule').description('Scheduled tasks of projects: each starts V3 sessions.');
  schedules.addCommand(
    withPlace(new Command('create'))
      .description('Schedule a task, and print its id.')
      .argument('<task>', 'task in natural language')
      .option('--cron <fields>', 'times as five fields of cron, in the time zone of the project')
      .option('--at <time>', 'one time: 2027-01-31T09:00 in the time zone of the project, or with an offset')
      .option('--model <name>', 'V3 model (default: the default of V3)')
      .option('--max-cost-usd <usd>', 'cost ceiling of each session', readCredit)
      .action((task: string, flags: CreateFlags) => create(task, flags)),
  );
  schedules.addCommand(
    withPlace(new Command('list'))
      .description('List the scheduled tasks: first those that have not ended, then the newest.')
      .option('--json', 'as JSON, times in milliseconds since 1970')
      .action((flags: ListFlags) => list(flags)),
  );
  schedules.addCommand(
    withPlace(new Command('confirm'))
      .description('Confirm the proposal of an agent.')
      .argument('<id>', 'id of the scheduled task, see svc admin schedule list')
      .action((id: string, flags: PlaceFlags) => change(flags, (all, project) => all.confirm(project, id))),
  );
  schedules.addCommand(
    withPlace(new Command('end'))
      .description('End a scheduled task, or refuse a proposal. Tasks that it has started continue.')
      .argument('<id>', 'id of the scheduled task, see svc admin schedule list')
      .action((id: string, flags: PlaceFlags) => change(flags, (all, project) => all.end(project, id))),
  );
  return schedules;
}

interface PlaceFlags extends DatabaseLocation {
  readonly project?: string;
}

interface ListFlags extends PlaceFlags {
  readonly json?: true;
}

interface CreateFlags extends PlaceFlags {
  readonly cron?: string;
  readonly at?: string;
  readonly model?: string;
  /** Cost limit of each session in micro-dollars; null for no limit. */
  readonly maxCostUsd?: number | null;
}

function withPlace(command: Command): Command {
  return addDatabaseOptions(command).option('--project <id>', 'id or name of the project (default: the only one)');
}

/** Runs work with the scheduled tasks of a project. */
async function withSchedules<Result>(
  { project, ...place }: PlaceFlags,
  work: (schedules: Schedules, projectId: string) => Promise<Result>,
): Promise<Result> {
  const { withDatabase, chooseProject } = await import('./admin-database.ts');
  const { createSchedules } = await import('#sessions/schedules/schedules.ts');
  const deps = { rules: defaultRules, newId: randomUUID, now: Date.now };
  return withDatabase(place, async (db) => work(createSchedules({ db, ...deps }), await chooseProject(db, project)));
}

async function create(task: string, { cron, at, model, maxCostUsd, ...place }: CreateFlags): Promise<void> {
  const { AdminFault } = await import('./admin-database.ts');
  const { v3 } = defaultRules.models;
  const name = normaliseModel(defaultRules, 'v3', model ?? v3.default.model);
  if (modelRow(defaultRules, 'v3', name) === undefined)
    throw new AdminFault(`found the model ${name}. Expected one of ${v3.models.map((row) => row.name).join(', ')}`);
  if ((cron === undefined) === (at === undefined))
    throw new AdminFault('found both or neither of --cron and --at. Expected exactly one of them');
  const { defaultScheduledSession } = await import('#sessions/schedules/schedules.ts');
  const session = { ...defaultScheduledSession, model: name, maxCostMicros: maxCostUsd ?? null };
  const timing = cron === undefined ? { at: at ?? '' } : { cron };
  const made = await withSchedules(place, (schedules, projectId) =>
    schedules.create({ projectId, task, timing, session, proposedBy: null }),
  );
  if ('fault' in made) throw new AdminFault(made.fault);
  if ('limit' in made)
    throw new AdminFault(
      `found ${made.limit} scheduled tasks in the project, which is the limit. Next: end one of them`,
    );
  console.log(made.id);
}

async function list({ json, ...place }: ListFlags): Promise<void> {
  const { scheduleTable } = await import('./tables.ts');
  const schedules = await withSchedules(place, (all, projectId) => all.list(projectId));
  printLine(json === true ? JSON.stringify(schedules, null, 2) : scheduleTable(schedules));
}

async function change(
  place: PlaceFlags,
  act: (schedules: Schedules, projectId: string) => Promise<Schedule | null>,
): Promise<void> {
  const { AdminFault } = await import('./admin-database.ts');
  const { scheduleTable } = await import('./tables.ts');
  const changed = await withSchedules(place, act);
  if (changed === null) throw new AdminFault('found no scheduled task with this id. Next: see svc admin schedule list');
  printLine(scheduleTable([changed]));
}

/**
 * SQL statements that revert the migrations 0033 to 0027, for tests that open the data folder of an earlier release.
 * They leave the stored tokens hashed. The migration 0034 can run again on what it has changed.
 */
export const undoHashedTokens: readonly string[] = [
  'drop table integration_secrets',
  'alter table sessions drop column integrations_used',
  'alter table api_keys drop column monthly_micros',
  ...['sessions', 'browsers'].flatMap((table) => [
    `drop index ${table}_by_key`,
    `alter table ${table} drop column key_id`,
  ]),
  'alter table runs drop column suggestions',
  'drop table schedule_starts',
  'drop table schedules',
  'alter table projects drop column time_zone',
  'alter table api_keys drop column may_schedule',
  ...['runs', 'sessions'].map((table) => `alter table ${table} drop column answered_by`),
  'alter table recordings drop column run_id',
  'drop index browsers_by_settlement',
  'alter table browsers drop column settled',
  'alter table console_sessions drop column csrf_hash',
  ...['sessions', 'browsers', 'shares'].flatMap((table) => [
    `drop index ${table}_in_clear`,
    `alter table ${table} drop column sealed_tokens`,
  ]),
  ...['sessions', 'browsers'].flatMap((table) =>
    ['live', 'view'].map((use) => `alter table ${table} rename column ${use}_hash to ${use}_token`),
  ),
  'alter table browsers rename column cdp_hash to cdp_token',
  'alter table shares rename column share_hash to token',
];

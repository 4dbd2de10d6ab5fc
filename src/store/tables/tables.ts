import type {
  ApiKeyTable,
  ConsoleSessionTable,
  IntegrationSecretTable,
  ProfileLeaseTable,
  ProfileTable,
  ProjectTable,
  ScheduleStartTable,
  ScheduleTable,
} from './accounts.ts';
import type { BrowserTable, DownloadTable, RecordingTable } from './browsers.ts';
import type { AttachmentTable, FileTable, WorkspaceTable } from './files.ts';
import type { EventTable, ModelCallTable, QueueTable, RunTable, StepTable } from './runs.ts';
import type { MailTable, SessionTable, ShareTable } from './sessions.ts';
import type { TimeMs } from './values.ts';
import type { WorkerTable } from './workers.ts';

/**
 * Tables of the service. JSON values are text; times are {@link TimeMs}; money is micro-dollars, or pico-dollars in
 * columns that are named so.
 */
export interface Tables {
  projects: ProjectTable;
  api_keys: ApiKeyTable;
  provider_keys: { projectId: string; provider: string; ciphertext: string; createdAt: TimeMs };
  integration_secrets: IntegrationSecretTable;
  sessions: SessionTable;
  runs: RunTable;
  steps: StepTable;
  events: EventTable;
  browsers: BrowserTable;
  model_calls: ModelCallTable;
  queue_messages: QueueTable;
  workspaces: WorkspaceTable;
  files: FileTable;
  loose_blobs: { key: string; createdAt: TimeMs };
  profiles: ProfileTable;
  profile_leases: ProfileLeaseTable;
  attachments: AttachmentTable;
  downloads: DownloadTable;
  shares: ShareTable;
  pictures: { key: string; sessionId: string };
  recordings: RecordingTable;
  mails: MailTable;
  console_sessions: ConsoleSessionTable;
  schedules: ScheduleTable;
  schedule_starts: ScheduleStartTable;
  console_links: { hash: string; projectId: string; createdAt: TimeMs; expiresAt: TimeMs };
  workers: WorkerTable;
  /**
   * Rate limit counters, shared by all processes. `name` is a kind of limit with a project, such as `project <id>`.
   * `period` is the number of the latest time window, and `count` is the number of requests in it.
   */
  request_counts: { name: string; period: number; count: number };
  /**
   * Number of resources of each kind in a project, and the total of its settled browser bills in micro-dollars; see
   * `queries/counts.ts`.
   */
  totals: { projectId: string; what: string; count: number };
}

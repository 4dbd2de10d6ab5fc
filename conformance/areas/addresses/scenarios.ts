import { suiteLimit } from '../../core/bounds.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { addressIn, open } from '../workspaces/scenarios-files.ts';
import {
  type SampleFile,
  type WorkspaceFiles,
  createWorkspaceFiles,
  uploads,
  type WorkspaceGeneration,
  workspaceGenerations,
} from '../../common/workspace-files.ts';
import { notOffered } from '../../core/operations.ts';

/**
 * Answers of one kind of signed URL shortly before and after the expiry. A download requests one URL twice; an upload
 * uses two URLs.
 */
export interface ClockedAddress {
  /** Generation and purpose, for example `v3 download`. */
  what: string;
  before: Exchange;
  after: Exchange;
}

/** Lifetimes of download and upload URLs, in milliseconds. */
const lives = { download: suiteLimit('fileUrlLifetime'), upload: suiteLimit('uploadUrlLifetime') };
/** Time in milliseconds between each request and the expiry of its URL. */
const marginMs = 10_000;

const operations = ['createWorkspace', 'uploadWorkspaceFiles', 'listWorkspaceFiles'] as const;

/**
 * For V3 and V4 each, creates a workspace with a file. Moves the clock of the target, and requests a download URL and
 * an upload URL shortly before and shortly after their expiry.
 */
export const clockedAddresses: Scenario<ClockedAddress[]> = {
  name: 'clocked-addresses',
  creates: 'one workspace with a small file in V3 and V4 each, while the clock of the target is moved',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  movesClock: true,
  waitsMs: () => workspaceGenerations.length * (lives.download + lives.upload + 2 * marginMs),
  unavailable: (target) =>
    workspaceGenerations
      .map((version) =>
        notOffered(
          target,
          operations.map((id) => `${version}.${id}` as const),
        ),
      )
      .find((reason) => reason !== undefined),
  run: driveClock,
};

async function driveClock(context: ScenarioContext): Promise<ClockedAddress[]> {
  const seen: ClockedAddress[] = [];
  for (const generation of workspaceGenerations) seen.push(...(await watchAddresses(context, generation)));
  return seen;
}

async function watchAddresses(context: ScenarioContext, generation: WorkspaceGeneration): Promise<ClockedAddress[]> {
  const workspaceFiles = await createWorkspaceFiles(context, generation);
  if (workspaceFiles === undefined || context.clock === undefined) throw new NotTestable('no workspace was made');
  const file: SampleFile = { name: 'clock.txt', text: 'tick', contentType: 'text/plain' };
  const [path = ''] = (await workspaceFiles.store([file])).paths;
  const address = addressIn(await workspaceFiles.list({ includeUrls: true }), path);
  if (!URL.canParse(address)) throw new NotTestable('no address for a download was handed out');
  await context.clock.advance(lives.download - marginMs);
  const before = await open(context, address);
  await context.clock.advance(2 * marginMs);
  const read = { what: `${generation} download`, before, after: await open(context, address) };
  return [read, await watchUpload(context, workspaceFiles, file)];
}

/**
 * Uploads a file before and after the expiry of upload URLs. Each URL takes one file, so the two uploads use different
 * URLs.
 */
async function watchUpload(
  context: ScenarioContext,
  workspaceFiles: WorkspaceFiles,
  file: SampleFile,
): Promise<ClockedAddress> {
  const reserved = await workspaceFiles.reserve([
    { ...file, name: 'early.txt' },
    { ...file, name: 'late.txt' },
  ]);
  const [early = '', late = ''] = uploads(reserved, 'uploadUrl');
  if (!succeeded(reserved) || !URL.canParse(early) || !URL.canParse(late) || context.clock === undefined)
    throw new NotTestable('no address for an upload was handed out');
  await context.clock.advance(lives.upload - marginMs);
  const before = await workspaceFiles.put(early, file);
  await context.clock.advance(2 * marginMs);
  return { what: `${workspaceFiles.generation} upload`, before, after: await workspaceFiles.put(late, file) };
}

import { type AgentFile, FileError } from '#agent/files.ts';
import type { DownloadedFile, HostedBrowser } from '#browsers/host.ts';
import { contentTypeOf, storedName } from '#accounts/workspaces/index.ts';
import type { EngineState } from './parts.ts';
import { type FilesOf, keep, shown } from './task-files.ts';

/** What the pages of a task download. */
export interface TaskDownloads {
  /** Settles when nothing is under way any more, or the task is ended. */
  settled(): Promise<void>;
  /** The files that were kept in this task; rejects with a FileError when one could not be, once for each. */
  kept(): Promise<readonly AgentFile[]>;
  /** Gives up what has not come, and takes nothing more; settles when that is done. */
  end(): Promise<void>;
}

const folder = 'downloads/';
/** A page can begin downloads without end: nobody reads of more of them that came to nothing. */
const refusalsMax = 100;
/** A name of which nothing is left. */
const unnamed = 'download';

interface Parts extends FilesOf {
  readonly browser: HostedBrowser;
  readonly signal: AbortSignal;
  /** A name that a page gives a file, without values of secrets. */
  readonly shown: (name: string) => string;
}

/** Keeps what pages download from now on as files of the task's workspace, in its folder `downloads`. */
export function takeDownloads(
  engine: EngineState,
  { browser, signal, shown: withoutValues, ...of }: Parts,
): TaskDownloads {
  const kept: AgentFile[] = [];
  const refusals: string[] = [];
  const refused = (fileName: string, reason: string): void => {
    // Without name and reason: a page can put into them what was typed into it.
    engine.log.info({ session: of.session.id }, 'a download was not kept');
    if (refusals.length < refusalsMax) refusals.push(`The download ${fileName} was not kept: ${reason}.`);
  };
  const claim = browser.takeDownloads({
    refused: (fileName, reason) => refused(withoutValues(fileName), reason),
    async take(given) {
      const file = { ...given, fileName: withoutValues(given.fileName) };
      try {
        kept.push(shown(await keep(engine, of, newFile(file))));
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        refused(file.fileName, error.message);
      }
    },
  });
  // At once, so that nobody waits for what is under way.
  const onAbort = (): void => claim.cancel();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    settled: () => claim.settled(),
    async kept() {
      await claim.settled();
      const refusal = refusals.shift();
      if (refusal !== undefined) throw new FileError(refusal);
      return [...kept];
    },
    async end() {
      signal.removeEventListener('abort', onAbort);
      await claim.stop();
    },
  };
}

function newFile({ fileName, size, bytes }: DownloadedFile): Parameters<typeof keep>[2] {
  const path = `${folder}${storedName(fileName) ?? unnamed}`;
  return { path, size, bytes, contentType: contentTypeOf(path), ifTaken: 'number' };
}

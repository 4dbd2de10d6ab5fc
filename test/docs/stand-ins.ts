import { join } from 'node:path';
import { freePort } from '../../tools/conformance/svc-process.ts';
import { otherKey, testKey } from '../support/start-backend.ts';

/**
 * Function that converts the text of a Markdown code block into the commands to run. It replaces resources of a reader,
 * such as a deployment, by those of the test.
 */
export type StandIns = (text: string) => string;

/** Folders that exist for readers and not in tests. */
const folders = ['/var/lib/svc', '/backups', '/srv/svc'];

const port = /(?<=127\.0\.0\.1:|localhost:|--port )\d{4,5}\b/g;

/**
 * Creates the function that replaces a reader's resources in a code block: `https://api.example.com` and its keys by a
 * local deployment, folders by folders below `folder`, and ports by free ports. Equal names get equal replacements in
 * all blocks of a document.
 */
export async function createStandIns(options: {
  readonly deployment: string;
  readonly folder: string;
  /** All texts of the document. */
  readonly texts: readonly string[];
}): Promise<StandIns> {
  const ports = new Map<string, string>();
  for (const text of options.texts)
    for (const [found] of text.matchAll(port)) if (!ports.has(found)) ports.set(found, String(await freePort()));
  return (text) => {
    const moved = folders.reduce((all, name) => all.replaceAll(name, join(options.folder, name)), text);
    return (
      moved
        .split('\n')
        .map(judgeFew)
        .join('\n')
        .replace(port, (found) => ports.get(found) ?? found)
        // A deployment on this machine needs no rate limit.
        .replace(/\b(check|conformance --) (https:\/\/api\.example\.com|http:\/\/127\.0\.0\.1:\d+)/g, '$1 $2 --rate 0')
        .replaceAll('https://api.example.com', options.deployment)
        .replaceAll('SERVICE_API_KEY=...', `SERVICE_API_KEY=${testKey}`)
        .replaceAll('SVC_OTHER_API_KEY=...', `SVC_OTHER_API_KEY=${otherKey}`)
    );
  };
}

/**
 * Restricts a `svc check` that judges a generation or everything to a single area, to save time: other tests cover all
 * areas. A command that selects requirements with another option stays unchanged.
 */
function judgeFew(line: string): string {
  const few = line
    .replace(/--only v3(?![\w-])/, '--only v3-operations')
    .replace(/--only v4(?![\w-])/, '--only v4-runs');
  const selects = /--(?:only|certify|dry-run|profile|target)\b/.test(few);
  return selects ? few : few.replace(/\bsvc check https:\S+/, '$& --only errors');
}

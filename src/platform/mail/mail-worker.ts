import { Buffer } from 'node:buffer';
import { serveJobs } from '#agent/workers/serve-jobs.ts';
import { type MailJob, parseMail } from './parse-mail.ts';

/**
 * Replacement of `Blob` for the mail parser, which creates two parts per line and reads them once. Node's own `Blob`
 * takes 15 µs and 2 KB per part.
 */
class JoinedParts {
  readonly #bytes: Buffer;

  constructor(parts: readonly (string | Uint8Array | ArrayBuffer)[]) {
    this.#bytes = Buffer.concat(parts.map(toBytes));
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Uint8Array(this.#bytes).buffer;
  }
}

const lineEnd = Buffer.from('\n');

function toBytes(part: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof part === 'string') return part === '\n' ? lineEnd : Buffer.from(part);
  return part instanceof Uint8Array ? part : new Uint8Array(part);
}

Object.defineProperty(globalThis, 'Blob', { value: JoinedParts });

// This module runs in a process of its own, which the mailroom starts.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end of the channel sends nothing else
serveJobs((job) => parseMail(job as MailJob));

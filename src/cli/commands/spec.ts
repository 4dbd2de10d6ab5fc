import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { exitCodes, waitForSignal } from '../process-end.ts';
import { readPort } from '../flag-values.ts';
import { printError, printLine } from '../print.ts';
import { withWaitMessage } from '../with-wait-message.ts';
import { type DocumentVersion, documentText, documentVersions } from '../spec/documents.ts';
import type { DiffFlags } from '../spec/run-diff.ts';

/**
 * Creates `svc spec`: commands for the bundled OpenAPI documents. Their schemas contain the levels that each model
 * supports.
 */
export function specCommand(): Command {
  // `exitOverride` comes before the subcommands, which inherit it: wrong usage throws, and run-program.ts chooses the
  // exit code.
  const spec = new Command('spec')
    .exitOverride()
    .description('Print, write, lint, compare or show the OpenAPI documents.');
  spec
    .command('print')
    .description('Write one document to standard output, as JSON.')
    .addArgument(new Argument('<version>', 'generation').choices(documentVersions))
    .action((version: DocumentVersion) => void process.stdout.write(documentText(version)));
  spec
    .command('bundle')
    .description('Write the three documents to a folder.')
    .requiredOption('--out <folder>', 'folder for v2.json, v3.json and v4.json; created if missing')
    .action(bundle);
  spec
    .command('lint')
    .description('Check the three documents with two independent validators, and their links.')
    .action(lint);
  addDiff(spec);
  addDocs(spec);
  return spec;
}

function addDiff(spec: Command): void {
  spec
    .command('diff')
    .description('Compare two documents, and show which changes break clients.')
    .argument('<old>', 'a document (JSON or YAML), a folder of them, or v2, v3, v4 for the document of this package')
    .argument('<new>', 'the same, after the change')
    .option('--json', 'print JSON', false)
    .option('--strict', 'exit code 1 also for changes that may break a client', false)
    .addHelpText('after', '\nExit codes: 0 no change breaks clients, 1 a change breaks clients, 2 wrong usage.')
    .action(diff);
}

function addDocs(spec: Command): void {
  spec
    .command('docs')
    .description('Serve the reference page of the three documents on this machine, until Ctrl-C.')
    .option('--out <file>', 'write it as one HTML file instead, for example reference.html')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one', readPort, 4020)
    .action(docs);
}

async function diff(old: string, fresh: string, flags: DiffFlags): Promise<void> {
  const { runDiff } = await import('../spec/run-diff.ts');
  process.exitCode = await runDiff({ old, new: fresh }, flags, printLine);
}

interface DocsFlags {
  readonly out?: string;
  readonly host: string;
  readonly port: number;
}

async function docs({ out, host, port }: DocsFlags): Promise<void> {
  const { serveDocs, writeDocs } = await import('../spec/write-docs.ts');
  if (out !== undefined) {
    await withWaitMessage('writing the reference', () => writeDocs(out));
    console.log(out);
    return;
  }
  const stopped = waitForSignal();
  const server = await withWaitMessage('starting', () => serveDocs(port, host));
  console.log(`listening on ${server.address}`);
  await stopped;
  await server.close();
  process.exitCode = exitCodes.ok;
}

function bundle({ out }: { readonly out: string }): void {
  mkdirSync(out, { recursive: true });
  for (const version of documentVersions) {
    const file = join(out, `${version}.json`);
    writeFileSync(file, documentText(version));
    console.log(file);
  }
}

async function lint(): Promise<void> {
  const { lintDocuments } = await import('../spec/lint-documents.ts');
  const problems = await withWaitMessage('judging the documents', lintDocuments);
  for (const text of problems) printError(`${text}\n`);
  if (problems.length === 0) console.log(`${documentVersions.length} documents, no problem found`);
  process.exitCode = problems.length === 0 ? exitCodes.ok : exitCodes.violation;
}

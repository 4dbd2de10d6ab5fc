import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { exitCodes } from '../exit-codes.ts';
import { type DocumentVersion, documentText, documentVersions } from '../spec/documents.ts';

/** `svc spec`: the OpenAPI documents, with the reasoning matrices compiled into their schemas. */
export function specCommand(): Command {
  // Before the subcommands, which inherit it: wrong usage ends with the exit code of main.ts.
  const spec = new Command('spec').exitOverride().description('Print, write or check the OpenAPI documents.');
  spec
    .command('print')
    .description('Write one document to standard output, as JSON.')
    .addArgument(new Argument('<version>', 'generation').choices(documentVersions))
    .action((version: DocumentVersion) => void process.stdout.write(documentText(version)));
  spec
    .command('bundle')
    .description('Write the three documents to a folder.')
    .requiredOption('--out <folder>', 'where v2.json, v3.json and v4.json go; made when missing')
    .action(bundle);
  spec.command('lint').description('Judge the three documents with two independent validators.').action(lint);
  return spec;
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
  const problems = await lintDocuments();
  for (const text of problems) console.error(text);
  if (problems.length === 0) console.log(`${documentVersions.length} documents, no problem found`);
  process.exitCode = problems.length === 0 ? exitCodes.ok : exitCodes.violation;
}

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const FOLDER = 'src/library';

/**
 * Writes the declarations of src/library below `folder`, file by file: what its functions load is the whole backend, which would be declared too.
 * Throws where a file does not say its types itself.
 */
export function declareLibrary(folder: string): void {
  for (const name of readdirSync(FOLDER)) {
    const file = join(FOLDER, name);
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
      fileName: file,
      reportDiagnostics: true,
      compilerOptions: { isolatedDeclarations: true, declaration: true, module: ts.ModuleKind.NodeNext, strict: true },
    });
    const [first] = diagnostics;
    if (first !== undefined) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(first.messageText, '\n')}`);
    writeFileSync(join(folder, file.replace(/\.ts$/, '.d.ts')), outputText);
  }
}

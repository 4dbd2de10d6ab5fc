/** Where a worker's file is: beside the file that asks, as TypeScript in a checkout and as JavaScript in the package. */
export function workerAddress(name: string, from: string): URL {
  return new URL(`./${name}.${from.endsWith('.ts') ? 'ts' : 'js'}`, from);
}

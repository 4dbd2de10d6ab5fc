/** Read access to the files of the repository. */
export interface Tree {
  read(file: string): string;
  exists(file: string): boolean;
}

/** What is to be written, and what a person does then. */
export interface Made {
  /** Path from the root -> whole text. */
  readonly files: ReadonlyMap<string, string>;
  /** Steps, in order. */
  readonly next: readonly string[];
}

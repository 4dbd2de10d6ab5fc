/** The program in what a model wrote: what stands in its first fence, else all of it. */
export function extractCode(text: string): string {
  const [, fenced] = /```[a-z]*[^\S\n]*\n([\s\S]*?)```/i.exec(text) ?? [];
  return (fenced ?? text).trim();
}

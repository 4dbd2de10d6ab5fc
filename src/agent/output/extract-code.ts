import { firstFence } from './first-fence.ts';

/** The program in what a model wrote: what stands in its first fence, else all of it. */
export function extractCode(text: string): string {
  return (firstFence(text, (language) => /^[a-z]*$/.test(language)) ?? text).trim();
}

/*
 * What one browser is kept from and what it may take: bounds of memory and disk, and what really holds its pages. Called by the
 * local host. Reads only what the kernel shows of processes; must not know DevTools.
 */
export { type BrowserBounds, createWarden, type Warden } from './warden.ts';
export { readSandbox, type SandboxReport } from './sandbox-report.ts';

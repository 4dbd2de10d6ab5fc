/*
 * Who may start a browser now, who waits, and who is told to come again. Called by the local host. Must not know what a browser is.
 */
export { type Admission, createAdmission } from './create-admission.ts';
export { isCpuPressed } from './cpu-pressure.ts';
export { HostBusy } from './host-busy.ts';

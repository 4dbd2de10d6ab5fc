/**
 * The profile `smoke`: what five free requests can show. Called by the runner in the place of checks/. Each check judges a row
 * of the registry by the answers that the run begins with and by at most one request of its own; it makes nothing.
 */
export { smokeChecks } from './smoke-checks.ts';

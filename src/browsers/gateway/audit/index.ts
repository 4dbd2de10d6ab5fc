/*
 * Who came through the gateway and asked for what: method, session and outcome of every message, never its values.
 * Written to by the gateway, one line per message; opened and closed by whoever composes the service (`svc serve --audit`).
 * It never holds up a client: what the disk does not take in time is lost and counted.
 */
export type { Audit } from './audit.ts';
export { createAudit } from './create-audit.ts';
export { openAuditFile } from './open-audit-file.ts';

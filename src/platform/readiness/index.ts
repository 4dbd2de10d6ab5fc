/**
 * Whether a service can do its work, for load balancers and people. `public/ready-route.ts` answers with it. It looks and changes nothing,
 * and is no judge of what a page can do: `svc doctor` shows that.
 */
export { type ReadReadiness, createReadiness } from './create-readiness.ts';

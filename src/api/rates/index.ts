/*
 * How many requests a project may send. Asked by the request line after it knows who calls and before it reads anything;
 * counts in memory, among several processes those of projects together, and decides by the service's clock.
 */
export { createRequestRates } from './create-request-rates.ts';

/*
 * How many requests a project may send. Asked by the request line after it knows who calls and before it reads anything;
 * counts in memory, decides by the service's clock, and touches neither the network nor the database.
 */
export { createRequestRates } from './create-request-rates.ts';

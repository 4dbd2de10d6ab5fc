import { readFileSync } from 'node:fs';

/*
 * Child process `parse-file.ts FILE`: prints the processor time in milliseconds that JSON.parse takes for the text of a
 * file, without the time for reading the file.
 */
const text = readFileSync(process.argv[2] ?? '', 'utf8');
const before = process.cpuUsage();
JSON.parse(text);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);

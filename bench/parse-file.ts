import { readFileSync } from 'node:fs';

/* A process of its own, `parse-file.ts FILE`: prints the milliseconds of a processor that JSON.parse takes for the file's text, which it has read before. */
const text = readFileSync(process.argv[2] ?? '', 'utf8');
const before = process.cpuUsage();
JSON.parse(text);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);

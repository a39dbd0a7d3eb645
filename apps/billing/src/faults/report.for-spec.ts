import { appendFileSync } from 'node:fs';

/** Says what a run did: on standard error, and in the file that `npm run faults` reads, if it asks for that. */
export function report(test: string, facts: object): void {
  const line = JSON.stringify({ test, ...facts });
  process.stderr.write(`${line}\n`);
  const file = process.env.FAULT_REPORT;
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}

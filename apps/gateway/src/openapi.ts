import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { describeSurface } from './docs/describe-surface';

/** Writes the description of the API to the file named on the command line. */
async function main(file: string | undefined): Promise<void> {
  if (file === undefined) throw new Error('usage: openapi <file>');
  writeFileSync(file, `${JSON.stringify(await describeSurface(), null, 2)}\n`);
}

void main(process.argv[2]);

import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { MessageSurface } from './docs/describe-messages';

/** Writes the description of billing's NATS API to the file named on the command line. */
function main(file: string | undefined): void {
  if (file === undefined) throw new Error('usage: asyncapi <file>');
  writeFileSync(file, `${JSON.stringify(new MessageSurface().describe(), null, 2)}\n`);
}

main(process.argv[2]);

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from '../command-line/command-error';

type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/**
 * Asks at the terminal, without an echo.
 * @returns undefined where nobody sits at one
 * @throws CommandError when it is left unanswered: Ctrl-C, Ctrl-D
 */
export async function askPassword(
  question: string,
  input: Input = process.stdin,
): Promise<string | undefined> {
  if (!input.isTTY) return undefined;
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('close', () => reject(new CommandError('no password was given')));
      lines.question('', resolve);
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

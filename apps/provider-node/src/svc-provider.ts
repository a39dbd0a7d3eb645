import 'reflect-metadata';
import { CommandError } from './command-line/command-error';
import { readCommandLine } from './command-line/command-line';
import type { CommandName } from './command-line/command-line';
import { readSvcProviderConfig } from './command-line/svc-provider.config';
import { jsonTerminal, plain, wordTerminal } from './command-line/terminal';
import { usage } from './command-line/usage';
import type { Command } from './commands/command-context';
import { earnings } from './commands/earnings.command';
import { init } from './commands/init.command';
import { offer } from './commands/offer.command';
import { register } from './commands/register.command';
import { status } from './commands/status.command';
import { withdraw } from './commands/withdraw.command';
import { version } from '../package.json';

const commands: Record<CommandName, Command> = {
  init,
  register,
  offer,
  withdraw,
  status,
  earnings,
  // Nest takes longer to load than the other commands to run.
  serve: async (context) => (await import('./commands/serve.command.js')).serve(context),
};

/** `svc-provider`. @returns the exit code: 0 done, 1 refused or failed, 2 called or configured wrongly */
async function main(args: readonly string[]): Promise<number> {
  const write = (text: string) => process.stdout.write(text);
  try {
    const line = readCommandLine(args);
    if (line.version) return (write(`${version}\n`), 0);
    if (line.help || line.command === undefined) return (write(usage), line.help ? 0 : 2);
    const terminal = line.json ? jsonTerminal(write) : wordTerminal(write);
    return await commands[line.command]({ line, terminal, config: readSvcProviderConfig() });
  } catch (error) {
    return fail(error, args.includes('--json'));
  }
}

function fail(error: unknown, isJson: boolean): number {
  const { message, exitCode, details } =
    error instanceof CommandError
      ? error
      : { message: `svc-provider failed: ${String((error as Error).message)}`, exitCode: 1, details: {} };
  if (isJson) process.stdout.write(`${JSON.stringify({ error: { message, ...details } }, undefined, 2)}\n`);
  else process.stderr.write(`${plain(message)}\n`);
  return exitCode;
}

/** Work under way is finished when nobody reads what it says any more, as after `| head`. */
function outliveReaders(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`what it says cannot be written: ${message}\n`);
    process.exitCode = 1;
  });
}

outliveReaders();
void main(process.argv.slice(2)).then((code) => {
  process.exitCode ||= code;
});

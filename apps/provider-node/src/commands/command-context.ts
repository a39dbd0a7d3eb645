import { resolve } from 'node:path';
import { DEFAULT_FILE } from '../command-line/command-line';
import type { CommandLine } from '../command-line/command-line';
import type { SvcProviderConfig } from '../command-line/svc-provider.config';
import type { Terminal } from '../command-line/terminal';
import { CommandError } from '../command-line/command-error';
import { MarketClient } from '../market/market-client';
import type { ProviderReply } from '../market/market-replies';
import { ProviderSession } from '../market/provider-session';
import { ProviderFile } from '../provider-file/provider-file';
import { openSigner } from '../wallet/signer';

/** What every command works with. */
export interface CommandContext {
  line: CommandLine;
  config: SvcProviderConfig;
  terminal: Terminal;
}

/** A command; its result is the exit code. */
export type Command = (context: CommandContext) => Promise<number>;

/** What a command that speaks to the market works with besides. */
export interface ProviderContext extends CommandContext {
  file: ProviderFile;
  session: ProviderSession;
}

/** Reads the file, opens the key, asks the market what it is. @throws CommandError */
export async function providerContext(context: CommandContext): Promise<ProviderContext> {
  const { line, config } = context;
  const file = ProviderFile.read(resolve(line.file ?? DEFAULT_FILE), config.variables);
  const signer = await openSigner(file, config);
  const session = await ProviderSession.open(file, new MarketClient(line.url ?? file.content.market), signer);
  return { ...context, file, session };
}

/** @throws CommandError (1) while the wallet is not registered */
export async function registeredStatus(session: ProviderSession): Promise<ProviderReply> {
  const status = await session.status();
  if (status) return status;
  throw new CommandError(
    `${session.provider} is not registered at this market: "svc-provider register" does it`,
  );
}

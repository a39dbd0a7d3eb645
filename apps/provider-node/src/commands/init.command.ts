import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { Wallet } from 'ethers';
import { misuse } from '../command-line/command-error';
import { DEFAULT_FILE } from '../command-line/command-line';
import type { SvcProviderConfig } from '../command-line/svc-provider.config';
import { MarketClient } from '../market/market-client';
import { fileTemplate } from '../provider-file/file-template';
import type { TemplateValues } from '../provider-file/file-template';
import { ProviderFile } from '../provider-file/provider-file';
import { openSigner } from '../wallet/signer';
import type { CommandContext } from './command-context';

const DEFAULT_MARKET = 'http://127.0.0.1:8080';

/** Writes a provider's file and, unless one is named, a new key beside it. Overwrites neither. */
export async function init({ line, config, terminal }: CommandContext): Promise<number> {
  const path = resolve(line.file ?? DEFAULT_FILE);
  if (existsSync(path)) throw misuse(`${path} is there already`);
  const market = (line.url ?? DEFAULT_MARKET).replace(/\/+$/, '').replace(/\/v1$/, '');
  const keyFile = line.keyFile ? resolve(line.keyFile) : path.replace(/(\.ya?ml)?$/, '.key');
  const newKey = config.key === undefined && line.keyFile === undefined && !existsSync(keyFile);
  if (newKey) writeNew(keyFile, `${Wallet.createRandom().privateKey}\n`, 0o600);
  const chain = await askChain(market);
  const values = { market, name: line.name ?? 'My models', keyFile: fromFolderOf(path, keyFile), chain };
  writeNew(path, fileTemplate(values), 0o644);
  const provider = await readProvider(path, config);
  terminal.say(
    `wrote ${fromFolderOf(resolve('x'), path)}${newKey ? ` and a new key, ${fromFolderOf(resolve('x'), keyFile)}: keep it safe` : ''}`,
  );
  terminal.say(`your wallet is ${provider}`);
  if (!chain) terminal.say(`${market} did not answer: fill in "chain" yourself`);
  terminal.say('next: edit the file, then svc-provider serve, register, offer');
  terminal.result({ file: path, wallet: provider, key_file: keyFile, new_key: newKey, chain: chain ?? null });
  return 0;
}

/** @throws CommandError as reading the file does; it is gone then, or the next try would not overwrite it */
async function readProvider(path: string, config: SvcProviderConfig): Promise<string> {
  try {
    return (await openSigner(ProviderFile.read(path, config.variables), config)).provider;
  } catch (error) {
    rmSync(path);
    throw error;
  }
}

function writeNew(path: string, text: string, mode: number): void {
  try {
    writeFileSync(path, text, { mode, flag: 'wx' });
    // Whatever the process's umask would take away or leave.
    chmodSync(path, mode);
  } catch (error) {
    throw misuse(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** What the market is of; undefined when it does not say. */
async function askChain(market: string): Promise<TemplateValues['chain']> {
  try {
    const { domain } = await new MarketClient(market).terms();
    return { id: domain.chainId, settlement: domain.verifyingContract };
  } catch {
    return undefined;
  }
}

function fromFolderOf(path: string, other: string): string {
  return dirname(other) === dirname(path) ? basename(other) : relative(dirname(path), other);
}

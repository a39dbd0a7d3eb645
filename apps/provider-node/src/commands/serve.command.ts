import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '@svc/config';
import { misuse } from '../command-line/command-error';
import { DEFAULT_FILE } from '../command-line/command-line';
import type { SvcProviderConfig } from '../command-line/svc-provider.config';
import { ProviderFile } from '../provider-file/provider-file';
import { loadProviderNodeConfig } from '../provider-node.config';
import { serveNode } from '../serve-node';
import type { CommandContext } from './command-context';
import { nodeSettings } from './node-settings';

/**
 * Runs the node of the file, or without one of the environment alone, until it is told to stop.
 * The only export: what is loaded late as a module of the other kind shows its names only then.
 */
export async function serve({ line, config }: CommandContext): Promise<number> {
  const path = resolve(line.file ?? DEFAULT_FILE);
  const isThere = line.file !== undefined || existsSync(path);
  const settings = isThere ? nodeSettings(ProviderFile.read(path, config.variables).content) : {};
  await serveNode(nodeConfig(settings, config));
  // Signals end it.
  return new Promise<never>(() => undefined);
}

function nodeConfig(settings: Record<string, string>, { variables }: SvcProviderConfig) {
  try {
    return loadProviderNodeConfig({ ...settings, ...variables });
  } catch (error) {
    if (error instanceof ConfigError) throw misuse(error.problems.join('\n'));
    throw error;
  }
}

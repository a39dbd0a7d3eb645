import { ConfigError, loadConfig } from '@svc/config';
import { createLogger } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { runContracts } from './contracts.step';
import { runMigrate } from './migrate.step';
import { runSeed } from './seed.step';
import { ContractsConfig, MigrateConfig, SeedConfig } from './setup.config';
import type { StepConfig } from './setup.config';

type Run<C> = (config: C, logger: Logger, signal: AbortSignal) => Promise<void>;

const steps: Record<string, () => Promise<void>> = {
  migrate: step(MigrateConfig, runMigrate),
  contracts: step(ContractsConfig, runContracts),
  seed: step(SeedConfig, runSeed),
};

/** A step with its own configuration, logger and deadline. */
function step<C extends StepConfig>(ConfigClass: new () => C, run: Run<C>): () => Promise<void> {
  return async () => {
    const config = loadConfig(ConfigClass);
    const logger = createLogger('setup', config.logLevel);
    const signal = AbortSignal.timeout(config.timeoutMs);
    const timeUp = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error(`not done within ${config.timeoutMs} ms`)));
    });
    await Promise.race([run(config, logger, signal), timeUp]);
  };
}

/** Exit codes: 0 done, 1 failed, 2 called or configured wrongly. */
async function main(name: string | undefined): Promise<number> {
  const chosen = name === undefined ? undefined : steps[name];
  if (!chosen) {
    process.stderr.write(`usage: setup <${Object.keys(steps).join('|')}>\n`);
    return 2;
  }
  try {
    await chosen();
    return 0;
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`setup ${name}: ${error.message}\n`);
      return 2;
    }
    createLogger('setup', 'error').fatal({ err: error, step: name }, 'setup failed');
    return 1;
  }
}

void main(process.argv[2]).then((code) => process.exit(code));

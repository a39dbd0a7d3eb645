import { ConfigError, loadConfig } from '@svc/config';
import { createLogger } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { runContracts } from './contracts.step';
import { runMigrate } from './migrate.step';
import { runSeed } from './seed.step';
import { SettlementConfig } from './settlement/settlement.config';
import { runSettlement } from './settlement.step';
import { ContractsConfig, MigrateConfig, SeedConfig } from './setup.config';
import type { StepConfig } from './setup.config';
import { StepError } from './step-error';

type Run<C> = (config: C, logger: Logger, signal: AbortSignal) => Promise<void>;

const steps: Record<string, () => Promise<void>> = {
  migrate: step(MigrateConfig, runMigrate),
  contracts: step(ContractsConfig, runContracts),
  seed: step(SeedConfig, runSeed),
  settlement: step(SettlementConfig, (config, _logger, signal) =>
    runSettlement(config, (line) => process.stdout.write(`${line}\n`), signal),
  ),
};

/** A step with its own configuration, logger and deadline. */
function step<C extends StepConfig>(ConfigClass: new () => C, run: Run<C>): () => Promise<void> {
  return async () => {
    const config = loadConfig(ConfigClass);
    const logger = createLogger('setup', config.logLevel);
    const signal = AbortSignal.timeout(config.timeoutMs);
    const timeUp = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new StepError(`not done within ${config.timeoutMs} ms`)));
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
    if (error instanceof StepError) {
      process.stderr.write(`setup ${name}: ${error.message}\n`);
      return 1;
    }
    createLogger('setup', 'error').fatal({ err: error, step: name }, 'setup failed');
    return 1;
  }
}

void main(process.argv[2]).then((code) => process.exit(code));

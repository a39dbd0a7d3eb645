import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { failpoint } from '../failpoint';
import { OutcomeStore } from './outcome.store';

/** Draws the consequences of what could not be collected, and of what could after all. */
@Injectable()
export class JudgeService {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly outcomes: OutcomeStore,
  ) {}

  async judge(): Promise<void> {
    const lifted = await this.outcomes.liftPaid();
    for (const wallet of lifted) this.logger.info({ wallet }, 'wallet is whole again');
    const suspended = await this.outcomes.suspendUnpaid();
    failpoint('settlement.judged');
    for (const wallet of suspended)
      this.logger.warn({ wallet }, 'wallet suspended: what it owes could not be pulled');
  }
}

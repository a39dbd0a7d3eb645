import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { audited } from '../audit/audit.store';
import { DATABASE } from '../database/tokens';

/** In the audit trail. */
const SUBJECT = 'settlement';

/** Two figures that must agree and do not. */
export interface Difference {
  /** Which rule is broken. */
  readonly rule: string;
  /** The wallet, key, batch or provider it is about; undefined for all together. */
  readonly subject?: string;
  readonly expected: string;
  readonly actual: string;
}

/** A reason why nothing is collected. */
export interface Pause {
  readonly reason: string;
  readonly actor: string;
  readonly pausedAt: Date;
  readonly differences: Difference[];
}

/** Thrown when settlement is paused: nothing of the commit was done. */
export class SettlementPausedError extends Error {
  override readonly name = 'SettlementPausedError';
}

interface PauseRow {
  reason: string;
  actor: string;
  paused_at: Date;
  differences: Difference[];
}

/** Whether settlement is paused, and the trail of who did and undid it. */
@Injectable()
export class PauseStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Pauses that stand, the oldest first; none when settlement goes on. */
  async standing(): Promise<Pause[]> {
    const rows = await this.prisma.$queryRaw<PauseRow[]>`
      SELECT reason, actor, paused_at, differences FROM billing.settlement_pause
      WHERE resumed_at IS NULL ORDER BY pause_id`;
    return rows.map(({ paused_at, ...row }) => ({ ...row, pausedAt: paused_at }));
  }

  /** @throws SettlementPausedError; a pause that comes now waits until `commit` is over */
  async requireNone(commit: Prisma.TransactionClient): Promise<void> {
    await commit.$executeRaw`LOCK TABLE billing.settlement_pause IN SHARE MODE`;
    const standing = await commit.$queryRaw<unknown[]>`
      SELECT 1 FROM billing.settlement_pause WHERE resumed_at IS NULL`;
    if (standing.length > 0) throw new SettlementPausedError('settlement is paused');
  }

  /** Pauses settlement. One pause of an actor stands at a time. @returns whether it is a new one */
  async pause(reason: string, actor: string, differences: readonly Difference[] = []): Promise<boolean> {
    const act = Prisma.sql`
      INSERT INTO billing.settlement_pause (reason, actor, differences)
      VALUES (${reason}, ${actor}, ${JSON.stringify(differences)}::jsonb)
      ON CONFLICT (actor) WHERE resumed_at IS NULL DO NOTHING RETURNING pause_id`;
    const record = { actor, action: 'settlement.pause', subject: SUBJECT, reason };
    return (await this.prisma.$executeRaw(audited(act, record))) > 0;
  }

  /** Ends every pause that stands. @returns whether one did */
  async resume(reason: string, actor: string): Promise<boolean> {
    const act = Prisma.sql`
      UPDATE billing.settlement_pause SET resumed_at = now(), resumed_by = ${actor}, resume_reason = ${reason}
      WHERE resumed_at IS NULL RETURNING pause_id`;
    const record = { actor, action: 'settlement.resume', subject: SUBJECT, reason };
    return (await this.prisma.$executeRaw(audited(act, record))) > 0;
  }
}

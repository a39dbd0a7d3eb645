import { Inject, Injectable } from '@nestjs/common';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { AuditStore } from '../../audit/audit.store';
import type { AuditRecord } from '../../audit/audit.store';
import { databaseNow } from '../../database/database-now';
import { DATABASE } from '../../database/tokens';
import { pauseEnd } from '../suspension-memory';
import { REINSTATED_ACTION, SUSPENDED_ACTION, WATCH_ACTOR } from '../watch-codes';
import { MISSES_TO_SUSPEND, judgeHeartbeat } from './heartbeat-rules';
import type { BeatingOffer, HeartbeatEffect } from './heartbeat-rules';

/** Whether an offer's endpoint answered; `reason`: why not. */
export interface Heartbeat {
  offerId: string;
  version: number;
  answered: boolean;
  reason?: string;
}

/** What changed on the market. */
interface HeartbeatChange {
  offerId: string;
  effect: Exclude<HeartbeatEffect, 'none'>;
}

interface JudgedOffer extends BeatingOffer {
  id: string;
  version: number;
  watchSince: Date | null;
}

interface Judgement {
  offer: JudgedOffer;
  heartbeat: Heartbeat;
  effect: HeartbeatEffect;
  missedHeartbeats: number;
  /** When a canary is to look at what has come back. */
  lookAt: Date;
}

/** What heartbeats say of offers. */
@Injectable()
export class HeartbeatStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly audit: AuditStore,
  ) {}

  /**
   * Offers that nothing was held against answered: nearly all, nearly always, so this is one cheap statement. Whoever is locked
   * just now is passed over: it will be seen again.
   */
  async saw(offerIds: readonly string[]): Promise<void> {
    if (offerIds.length === 0) return;
    await this.prisma.$executeRaw`
      UPDATE catalog.offers SET last_seen_at = now()
      WHERE id IN (SELECT id FROM catalog.offers WHERE id = ANY(${[...offerIds]}) FOR UPDATE SKIP LOCKED)`;
  }

  /**
   * Judges by each offer's row as it stands, all in one commit. Whoever serves by another version since it was asked is passed over.
   * @returns what changed
   */
  record(heartbeats: readonly Heartbeat[]): Promise<HeartbeatChange[]> {
    if (heartbeats.length === 0) return Promise.resolve([]);
    const byOffer = new Map(heartbeats.map((heartbeat) => [heartbeat.offerId, heartbeat]));
    return this.prisma.$transaction(async (tx) => {
      const offers = await tx.$queryRaw<JudgedOffer[]>`
        SELECT id, live_version AS version, watch_code AS "watchCode", watch_since AS "watchSince",
          missed_heartbeats AS "missedHeartbeats"
        FROM catalog.offers WHERE id = ANY(${[...byOffer.keys()]}) AND withdrawn_at IS NULL
        ORDER BY id FOR UPDATE`;
      const now = await databaseNow(tx);
      const judgements: Judgement[] = [];
      for (const offer of offers) {
        const heartbeat = byOffer.get(offer.id);
        if (heartbeat?.version !== offer.version) continue;
        const verdict = judgeHeartbeat(offer, heartbeat.answered);
        judgements.push({
          offer,
          heartbeat,
          ...verdict,
          lookAt: await lookAt(tx, offer, verdict.effect, now),
        });
      }
      await writeAll(tx, judgements);
      const changes = judgements.filter((judgement) => judgement.effect !== 'none');
      await this.audit.write(tx, ...changes.flatMap(auditRecord));
      return changes.map(({ offer, effect }) => ({ offerId: offer.id, effect }) as HeartbeatChange);
    });
  }
}

/**
 * What was started again may be something else, so a canary looks at once: whoever mends a broken server need not wait for what broken
 * ones have added to the pause. The pause that it was caught with stands, or going away for a moment would be a way around it.
 */
async function lookAt(
  tx: Prisma.TransactionClient,
  { id, watchSince }: JudgedOffer,
  effect: HeartbeatEffect,
  now: Date,
): Promise<Date> {
  if (effect !== 'recheck' || !watchSince) return now;
  const end = await pauseEnd(tx, id, watchSince);
  return end > now ? end : now;
}

async function writeAll(tx: Prisma.TransactionClient, judgements: readonly Judgement[]): Promise<void> {
  if (judgements.length === 0) return;
  await tx.$executeRaw`
    UPDATE catalog.offers o SET
      missed_heartbeats = j.missed,
      last_seen_at = CASE WHEN j.answered THEN now() ELSE o.last_seen_at END,
      watch_code = CASE j.effect WHEN 'suspend' THEN 'no_heartbeat' WHEN 'reinstate' THEN NULL ELSE o.watch_code END,
      watch_reason = CASE j.effect WHEN 'suspend' THEN j.reason WHEN 'reinstate' THEN NULL ELSE o.watch_reason END,
      watch_since = CASE j.effect WHEN 'suspend' THEN now() WHEN 'reinstate' THEN NULL ELSE o.watch_since END,
      next_canary_at = CASE WHEN j.effect IN ('reinstate', 'recheck') THEN LEAST(o.next_canary_at, j.look_at::timestamptz)
                            ELSE o.next_canary_at END,
      retry_at = CASE j.effect WHEN 'recheck' THEN LEAST(o.retry_at, j.look_at::timestamptz) ELSE o.retry_at END
    FROM unnest(
      ${judgements.map(({ offer }) => offer.id)}::text[], ${judgements.map((judgement) => judgement.missedHeartbeats)}::int[],
      ${judgements.map(({ heartbeat }) => heartbeat.answered)}::boolean[], ${judgements.map(({ effect }) => effect)}::text[],
      ${judgements.map(suspensionReason)}::text[], ${judgements.map((judgement) => judgement.lookAt.toISOString())}::text[]
    ) AS j (id, missed, answered, effect, reason, look_at)
    WHERE o.id = j.id`;
}

function auditRecord(judgement: Judgement): AuditRecord[] {
  const { offer, effect } = judgement;
  const act = { actor: WATCH_ACTOR, subject: offer.id };
  if (effect === 'suspend') {
    const reason = `no_heartbeat: ${suspensionReason(judgement)}`;
    return [{ ...act, action: SUSPENDED_ACTION, reason }];
  }
  if (effect === 'reinstate') {
    return [{ ...act, action: REINSTATED_ACTION, reason: 'the endpoint answers again' }];
  }
  return [];
}

function suspensionReason({ heartbeat }: Judgement): string {
  // Dispatch's reasons are single words; a status that says the server is broken is one too.
  const last = (heartbeat.reason ?? 'no answer').replaceAll('_', ' ');
  return `The endpoint did not answer ${MISSES_TO_SUSPEND} heartbeats in a row as it should (the last: ${last}).`;
}

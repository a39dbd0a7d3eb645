import { Inject, Injectable } from '@nestjs/common';
import { MAX_KEYS, MAX_KEY_VALUES, MAX_LIVE_KEYS } from '@svc/contracts';
import type { BudgetReset } from '@svc/contracts';
import type { PrismaClient } from '@svc/persistence';
import { Prisma } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { SUSPENDED } from '../wallet/suspension';

interface NewKey {
  readonly wallet: string;
  readonly keyId: string;
  readonly keyHash: string;
  readonly lastFour: string;
  readonly name: string;
  readonly budgetCap: bigint | null;
  readonly budgetReset: BudgetReset | null;
}

/** What a value of a key stands for. */
interface KnownKey {
  readonly wallet: string;
  readonly keyId: string;
  /** Neither revoked nor disabled, and the value not replaced for longer than its overlap. */
  readonly usable: boolean;
  readonly revoked: boolean;
  /** Whether the wallet behind it is. */
  readonly suspended: boolean;
}

/** A key with its budget as it stands at this moment. Amounts in base units. */
export interface KeyRow {
  readonly wallet: string;
  readonly key_id: string;
  readonly name: string;
  readonly last_four: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly disabled: boolean;
  readonly revoked: boolean;
  readonly previous_expires_at: Date | null;
  readonly cap: bigint | null;
  readonly reset: BudgetReset | null;
  readonly resets_at: Date | null;
  readonly spent: bigint;
  readonly held: bigint;
  /** May be negative. */
  readonly spendable: bigint;
}

interface BudgetChange {
  readonly wallet: string;
  readonly keyId: string;
  /** Undefined leaves it as it is; null removes the budget. */
  readonly cap: bigint | null | undefined;
  /** Undefined leaves it as it is; null is no reset. */
  readonly reset: BudgetReset | null | undefined;
}

/** What a budget `b` has spent in its period at `moment`: nothing of what it had in an earlier one. */
function spentAt(moment: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN b.period_start < billing.period_of(b.reset, ${moment}, b.period_start) THEN 0 ELSE b.spent END`;
}

/** Which limit of a wallet's keys is reached: that of keys that are not revoked (`live`), or that of all, those that are revoked included. */
export type FullOf = 'live' | 'all';

@Injectable()
export class KeyStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /**
   * Stores the key with its budget, unless its hash or its wallet's absence forbids.
   * @returns of which keys the wallet has as many as it may; undefined when there is room
   */
  async add({
    wallet,
    keyId,
    keyHash,
    lastFour,
    name,
    budgetCap,
    budgetReset,
  }: NewKey): Promise<FullOf | undefined> {
    const [, [counted]] = await this.prisma.$transaction([
      // One after another: two that come at once are both counted.
      this.prisma.$executeRaw`SELECT FROM billing.wallet w WHERE w.wallet = ${wallet} FOR NO KEY UPDATE`,
      this.prisma.$queryRaw<{ full: FullOf | null }[]>`
        SELECT counted."full",
               CASE WHEN counted."full" IS NULL THEN
                 billing.add_key(${wallet}, ${keyId}, ${keyHash}, ${lastFour}, ${name}, ${budgetCap}::bigint,
                                 ${budgetReset}::text::billing.budget_reset)::text END
        FROM (SELECT CASE WHEN count(*) >= ${MAX_KEYS} THEN 'all'
                          WHEN count(*) FILTER (WHERE k.revoked_at IS NULL) >= ${MAX_LIVE_KEYS} THEN 'live' END AS "full"
              FROM billing.api_key k WHERE k.wallet = ${wallet}) counted`,
    ]);
    return counted?.full ?? undefined;
  }

  async find(keyHash: string): Promise<KnownKey | undefined> {
    const [row] = await this.prisma.$queryRaw<
      { wallet: string; key_id: string; usable: boolean; revoked: boolean; suspended: boolean }[]
    >`
      SELECT k.wallet, k.key_id, k.revoked_at IS NOT NULL AS revoked,
             k.revoked_at IS NULL AND k.disabled_at IS NULL
               AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp()) AS usable,
             ${SUSPENDED} AS suspended
      FROM billing.key_secret s
      JOIN billing.api_key k ON k.wallet = s.wallet AND k.key_id = s.key_id
      JOIN billing.wallet w ON w.wallet = k.wallet
      WHERE s.key_hash = ${keyHash}`;
    if (!row) return undefined;
    const { wallet, key_id: keyId, usable, revoked, suspended } = row;
    return { wallet, keyId, usable, revoked, suspended };
  }

  /**
   * A wallet's keys, the newest first.
   * @param keyId that one alone
   * @param unsettledCap the most the wallet may owe and hold beyond what the chain has collected
   */
  async list(wallet: string, unsettledCap: bigint, keyId?: string): Promise<KeyRow[]> {
    return this.prisma.$queryRaw<KeyRow[]>`
      SELECT k.wallet, k.key_id, k.name, s.last_four, k.created_at, b.last_used_at,
             k.disabled_at IS NOT NULL AS disabled, k.revoked_at IS NOT NULL AS revoked,
             (SELECT max(p.expires_at) FROM billing.key_secret p
              WHERE p.wallet = k.wallet AND p.key_id = k.key_id AND p.expires_at > now()) AS previous_expires_at,
             b.cap, b.reset::text, now_spent.spent, b.held,
             -- In UTC: a session's time zone would shift it where the clock does.
             (billing.period_of(b.reset, now(), NULL) AT TIME ZONE 'UTC' + CASE b.reset
               WHEN 'daily' THEN interval '1 day' WHEN 'weekly' THEN interval '7 days'
               WHEN 'monthly' THEN interval '1 month' END) AT TIME ZONE 'UTC' AS resets_at,
             least(billing.headroom(w),
                   ${unsettledCap}::bigint - greatest(w.posted - w.credited - w.settled_safe, 0) - w.held,
                   b.cap - b.held - now_spent.spent) AS spendable
      FROM billing.api_key k
      JOIN billing.wallet w ON w.wallet = k.wallet
      JOIN billing.key_secret s ON s.wallet = k.wallet AND s.key_id = k.key_id AND s.expires_at IS NULL
      JOIN billing.key_budget b ON b.wallet = k.wallet AND b.key_id = k.key_id
      CROSS JOIN LATERAL (
        SELECT ${spentAt(Prisma.sql`now()`)} AS spent
      ) now_spent
      WHERE k.wallet = ${wallet} AND (${keyId ?? null}::text IS NULL OR k.key_id = ${keyId ?? null}::text)
      ORDER BY k.created_at DESC, k.key_id`;
  }

  async rename(wallet: string, keyId: string, name: string): Promise<void> {
    await this.prisma.apiKey.updateMany({ where: { wallet, keyId }, data: { name } });
  }

  /** From the commit on nothing is admitted under a disabled key. */
  async setDisabled(wallet: string, keyId: string, disabled: boolean): Promise<void> {
    await this.prisma.apiKey.updateMany({
      where: { wallet, keyId },
      data: { disabledAt: disabled ? new Date() : null },
    });
  }

  /**
   * Changes what is given of the budget, unless it would have no cap, or one below what is spent in this period and held. What was
   * spent so far goes on counting until the next reset.
   */
  async setBudget({ wallet, keyId, cap, reset }: BudgetChange): Promise<'set' | 'no_cap' | 'below_spent'> {
    const [, [judged]] = await this.prisma.$transaction([
      // As every batch does: what it decides and what is set here follow one another.
      this.prisma.$executeRaw`SELECT FROM billing.wallet w WHERE w.wallet = ${wallet} FOR NO KEY UPDATE`,
      // What is not given is read under the lock: another change may just have set it.
      this.prisma.$queryRaw<{ outcome: 'set' | 'no_cap' | 'below_spent' }[]>`
        WITH clock AS MATERIALIZED (
          -- Not now(): this transaction began before it waited for the lock, perhaps in an earlier period.
          SELECT clock_timestamp() AS moment
        ), wanted AS MATERIALIZED (
          SELECT c.moment, b.held, b.reset AS reset_before,
                 CASE WHEN ${cap === undefined}::boolean THEN b.cap ELSE ${cap ?? null}::bigint END AS cap,
                 CASE WHEN ${reset === undefined}::boolean THEN b.reset
                      ELSE ${reset ?? null}::text::billing.budget_reset END AS reset,
                 ${spentAt(Prisma.sql`c.moment`)} AS spent
          FROM billing.key_budget b CROSS JOIN clock c
          WHERE b.wallet = ${wallet} AND b.key_id = ${keyId}
        ), judged AS MATERIALIZED (
          SELECT w.*, CASE WHEN w.cap IS NULL AND NOT ${cap === null}::boolean THEN 'no_cap'
                           WHEN w.cap < w.held + w.spent THEN 'below_spent'
                           ELSE 'set' END AS outcome
          FROM wanted w
        ), changed AS (
          UPDATE billing.key_budget b
          SET cap = j.cap, reset = j.reset, spent = j.spent,
              -- Never back, as in billing.resolve_holds: a refund would give back what spent does not count. Another reset brings
              -- a beginning that a clock once put ahead back to now.
              period_start = greatest(CASE WHEN j.reset IS NOT DISTINCT FROM j.reset_before THEN b.period_start
                                           ELSE least(b.period_start, j.moment) END,
                                      billing.period_of(j.reset_before, j.moment, NULL),
                                      billing.period_of(j.reset, j.moment, NULL))
          FROM judged j
          WHERE b.wallet = ${wallet} AND b.key_id = ${keyId} AND j.outcome = 'set'
        )
        SELECT j.outcome FROM judged j`,
    ]);
    if (!judged) throw new Error(`key ${keyId} has no budget`);
    return judged.outcome;
  }

  /**
   * Gives a key another value; those before work on for the overlap at most, whatever an earlier rotation gave them.
   * @returns `known`: the new value is; `worn`: the key has had as many as it may. Nothing changed then.
   */
  async rotate(
    { wallet, keyId, keyHash, lastFour }: Omit<NewKey, 'name' | 'budgetCap' | 'budgetReset'>,
    overlapSeconds: number,
  ): Promise<'rotated' | 'known' | 'worn'> {
    try {
      return await this.prisma.$transaction(async (commit) => {
        // The key before its values, as a revocation takes them: neither waits for the other with what that one needs.
        await commit.$executeRaw`
          SELECT FROM billing.api_key k WHERE k.wallet = ${wallet} AND k.key_id = ${keyId} FOR NO KEY UPDATE`;
        // Under its lock: of two rotations that come at once, the second counts the value of the first.
        if ((await commit.keySecret.count({ where: { wallet, keyId } })) >= MAX_KEY_VALUES) return 'worn';
        await commit.$executeRaw`
          UPDATE billing.key_secret SET expires_at = clock_timestamp() + ${overlapSeconds} * interval '1 second'
          WHERE wallet = ${wallet} AND key_id = ${keyId}
            AND (expires_at IS NULL OR expires_at > clock_timestamp() + ${overlapSeconds} * interval '1 second')`;
        await commit.keySecret.create({ data: { keyHash, wallet, keyId, lastFour } });
        return 'rotated';
      });
    } catch (error) {
      if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === UNIQUE_VIOLATED)
        return 'known';
      throw error;
    }
  }

  /** From the commit on nothing more is admitted under the key. @returns whether it is known */
  async revoke(wallet: string, keyId: string): Promise<boolean> {
    // The first revocation's time stands.
    await this.prisma.apiKey.updateMany({
      where: { wallet, keyId, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    return (await this.prisma.apiKey.count({ where: { wallet, keyId } })) > 0;
  }
}

/** Prisma's code for a violated unique constraint. */
const UNIQUE_VIOLATED = 'P2002';

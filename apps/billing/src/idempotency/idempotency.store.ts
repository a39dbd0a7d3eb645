import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { SUSPENDED } from '../wallet/suspension';

/** What stands under an idempotency key. */
interface IdempotentRequest {
  readonly fingerprint: string;
  readonly holdId: string;
  readonly completed: boolean;
  /** What is or was held for it, base units as a decimal string. */
  readonly amount: string;
}

/** A key as far as its requests are concerned. */
interface RequestingKey {
  readonly wallet: string;
  readonly suspended: boolean;
  readonly request: IdempotentRequest | undefined;
}

interface FoundRow {
  wallet: string;
  suspended: boolean;
  fingerprint: string | null;
  holdId: string | null;
  completed: boolean | null;
  amount: string | null;
}

/** A part of a reply that is to be kept. */
interface Part {
  readonly wallet: string;
  readonly holdId: string;
  readonly part: number;
  readonly bytes: Uint8Array;
}

/** Whether new replies are kept, and up to how many bytes a wallet has already. */
interface Room {
  readonly isFull: boolean;
  readonly mostOfWallet: number;
}

/** The requests under idempotency keys, and the replies kept for them. Admission and charging write the former in the ledger. */
@Injectable()
export class IdempotencyStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** What was charged is past its time also before it is purged. @returns undefined for an API key that may not be used */
  async find(keyHash: string, idempotencyHash: string): Promise<RequestingKey | undefined> {
    // OFFSET 0 keeps each lookup a lookup of one row by its key: a planner that was told of wallets with few requests reads all that one
    // with many has.
    const [row] = await this.prisma.$queryRaw<FoundRow[]>`
      SELECT k.wallet,
             ${SUSPENDED} AS suspended,
             i.fingerprint, i.hold_id AS "holdId", i.completed_at IS NOT NULL AS completed, t.amount::text AS amount
      FROM billing.key_secret s
      JOIN billing.api_key k ON k.wallet = s.wallet AND k.key_id = s.key_id
        AND k.revoked_at IS NULL AND k.disabled_at IS NULL
      JOIN billing.wallet w ON w.wallet = k.wallet
      LEFT JOIN LATERAL (
        SELECT * FROM billing.idempotency o WHERE o.wallet = k.wallet AND o.idempotency_hash = ${idempotencyHash}
          AND (o.completed_at IS NULL OR o.expires_at > now())
        OFFSET 0
      ) i ON true
      LEFT JOIN LATERAL (
        SELECT * FROM billing.transfer o WHERE o.wallet = i.wallet AND o.reference = i.hold_id AND o.leg = 0
        OFFSET 0
      ) t ON true
      WHERE s.key_hash = ${keyHash} AND (s.expires_at IS NULL OR s.expires_at > now())`;
    if (!row) return undefined;
    const { wallet, suspended, fingerprint, holdId, completed, amount } = row;
    const stands = fingerprint !== null && holdId !== null && amount !== null;
    const request = stands ? { fingerprint, holdId, completed: completed === true, amount } : undefined;
    return { wallet, suspended, request };
  }

  /**
   * Stores a part of a running request's reply, and counts its bytes; a repeat replaces it. Of a reply whose first part was stored all others are,
   * and none of another: a part of one is no use to anybody.
   * @returns `not_running` when no request with an idempotency key runs under this id
   */
  async storePart(
    { wallet, holdId, part, bytes }: Part,
    room: Room,
  ): Promise<'stored' | 'no_room' | 'not_running'> {
    // The lock keeps the request, which goes when it is freed, there until the insert; a charge does not wait for it. What is counted comes last:
    // others of the wallet wait for it.
    const [row] = await this.prisma.$queryRaw<{ stored: boolean }[]>`
      WITH request AS (
        SELECT wallet, hold_id, date_bin('4 hours', expires_at, 'epoch') + interval '4 hours' AS span_until
        FROM billing.idempotency
        WHERE wallet = ${wallet} AND hold_id = ${holdId} AND completed_at IS NULL FOR KEY SHARE
      ), kept AS (
        INSERT INTO billing.stored_response (wallet, hold_id, part, bytes)
        SELECT r.wallet, r.hold_id, ${part}::smallint, ${bytes}::bytea
        FROM request r
        WHERE EXISTS (SELECT FROM billing.stored_response f WHERE f.wallet = r.wallet AND f.hold_id = r.hold_id AND f.part = 0)
          OR (${part === 0 && !room.isFull}::boolean
              AND (SELECT coalesce(sum(b.bytes), 0) FROM billing.stored_bytes b WHERE b.wallet = r.wallet) < ${room.mostOfWallet}::bigint)
        ON CONFLICT (wallet, hold_id, part) DO UPDATE SET bytes = excluded.bytes
        RETURNING wallet, hold_id, part, bytes
      ), counted AS (
        INSERT INTO billing.stored_bytes AS b (wallet, span_until, bytes)
        SELECT r.wallet, r.span_until, octet_length(k.bytes) - coalesce(octet_length(f.bytes), 0)
        FROM kept k
        JOIN request r ON r.wallet = k.wallet AND r.hold_id = k.hold_id
        LEFT JOIN billing.stored_response f ON f.wallet = k.wallet AND f.hold_id = k.hold_id AND f.part = k.part
        ON CONFLICT (wallet, span_until) DO UPDATE SET bytes = b.bytes + excluded.bytes
      )
      SELECT EXISTS (SELECT FROM kept) AS stored FROM request`;
    if (!row) return 'not_running';
    return row.stored ? 'stored' : 'no_room';
  }

  /** @returns undefined unless the request was charged and has that part */
  async readPart(
    wallet: string,
    holdId: string,
    part: number,
  ): Promise<{ bytes: Uint8Array; parts: number } | undefined> {
    const [row] = await this.prisma.$queryRaw<{ bytes: Uint8Array; parts: number }[]>`
      SELECT r.bytes, (SELECT count(*)::integer FROM billing.stored_response a
                       WHERE a.wallet = r.wallet AND a.hold_id = r.hold_id) AS parts
      FROM billing.stored_response r
      JOIN billing.idempotency i ON i.wallet = r.wallet AND i.hold_id = r.hold_id
      WHERE r.wallet = ${wallet} AND r.hold_id = ${holdId} AND r.part = ${part} AND i.completed_at IS NOT NULL`;
    return row;
  }

  /**
   * Deletes requests that are past their time, with their replies, the oldest first; one that still runs stays.
   * @returns how many; fewer than `limit` when no more are due
   */
  async purge(limit: number): Promise<number> {
    // Never waits for a batch, and no batch waits for long.
    return this.prisma.$executeRaw`
      DELETE FROM billing.idempotency i USING (
        SELECT d.wallet, d.idempotency_hash FROM billing.idempotency d
        WHERE d.expires_at <= now() AND (d.completed_at IS NOT NULL OR NOT EXISTS (
          SELECT FROM billing.open_hold h WHERE h.wallet = d.wallet AND h.hold_id = d.hold_id))
        ORDER BY d.expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) due
      WHERE i.wallet = due.wallet AND i.idempotency_hash = due.idempotency_hash`;
  }

  /** How many requests and parts there are about: the statistics' figures, since counting would be a scan. */
  async rows(): Promise<{ requests: number; parts: number }> {
    const [row] = await this.prisma.$queryRaw<{ requests: number; parts: number }[]>`
      SELECT coalesce(max(n_live_tup) FILTER (WHERE relname = 'idempotency'), 0)::float8 AS requests,
             coalesce(max(n_live_tup) FILTER (WHERE relname = 'stored_response'), 0)::float8 AS parts
      FROM pg_stat_user_tables WHERE schemaname = 'billing'`;
    return row ?? { requests: 0, parts: 0 };
  }
}

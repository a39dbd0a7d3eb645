import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

export interface NewKey {
  readonly wallet: string;
  readonly keyId: string;
  readonly keyHash: string;
  readonly lastFour: string;
  readonly name: string;
}

export interface KnownKey {
  readonly wallet: string;
  readonly keyId: string;
  readonly revoked: boolean;
  /** Whether the wallet behind it is. */
  readonly suspended: boolean;
}

@Injectable()
export class KeyStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** Stores the key with its budget, unless its hash or its wallet's absence forbids. */
  async add({ wallet, keyId, keyHash, lastFour, name }: NewKey): Promise<void> {
    await this.prisma.$executeRaw`
      WITH added AS (
        INSERT INTO billing.api_key (wallet, key_id, key_hash, last_four, name)
        SELECT w.wallet, ${keyId}, ${keyHash}, ${lastFour}, ${name} FROM billing.wallet w WHERE w.wallet = ${wallet}
        ON CONFLICT DO NOTHING
        RETURNING wallet, key_id, created_at
      )
      INSERT INTO billing.key_budget (wallet, key_id, period_start)
      SELECT wallet, key_id, created_at FROM added`;
  }

  async find(keyHash: string): Promise<KnownKey | undefined> {
    const key = await this.prisma.apiKey.findUnique({ where: { keyHash }, include: { owner: true } });
    if (!key) return undefined;
    const { wallet, keyId, revokedAt, owner } = key;
    return { wallet, keyId, revoked: revokedAt !== null, suspended: owner.suspendedAt !== null };
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

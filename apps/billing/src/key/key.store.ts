import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
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

/** Prisma's code for a violated foreign key. */
const FOREIGN_KEY_VIOLATED = 'P2003';

@Injectable()
export class KeyStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /**
   * Stores the key unless its hash is known.
   * @returns `no_wallet` when the wallet is unknown
   */
  async add(key: NewKey): Promise<'stored' | 'no_wallet'> {
    try {
      await this.prisma.apiKey.createMany({ data: [key], skipDuplicates: true });
      return 'stored';
    } catch (error) {
      if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === FOREIGN_KEY_VIOLATED) {
        return 'no_wallet';
      }
      throw error;
    }
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

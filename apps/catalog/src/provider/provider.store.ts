import { Inject, Injectable } from '@nestjs/common';
import type { RegisterProviderRequest } from '@svc/contracts';
import type { Prisma, PrismaClient } from '@svc/persistence';
import { AuditStore } from '../audit/audit.store';
import type { AuditRecord } from '../audit/audit.store';
import { DATABASE } from '../database/tokens';
import { requireActing } from './provider-act';
import type { ActingProvider } from './provider-act';

type ProviderRow = Prisma.ProviderGetPayload<object>;

/** The table of providers. */
@Injectable()
export class ProviderStore {
  constructor(
    @Inject(DATABASE) private readonly prisma: PrismaClient,
    private readonly audit: AuditStore,
  ) {}

  find(wallet: string): Promise<ProviderRow | null> {
    return this.prisma.provider.findUnique({ where: { wallet } });
  }

  /**
   * Adds the provider, or gives it another name.
   * @throws SvcError invalid_request when it may not act (`requireActing`)
   */
  async register({ provider: wallet, name, contact, nonce }: RegisterProviderRequest): Promise<void> {
    await this.prisma.$transaction(async (tx) => {
      const { count } = await tx.provider.createMany({
        data: [{ wallet, name, contact }],
        skipDuplicates: true,
      });
      const acting = await lockProvider(tx, wallet);
      if (acting) requireActing(acting, nonce);
      await tx.provider.update({ where: { wallet }, data: { name, contact, nonce } });
      const action = count > 0 ? 'provider.register' : 'provider.rename';
      await this.audit.write(tx, { actor: wallet, action, subject: wallet });
    });
  }

  /**
   * Suspends a provider, or lets it back.
   * @param reason why it is suspended; null lets it back
   * @returns false for a provider that is not there
   */
  async judge(wallet: string, reason: string | null, record: AuditRecord): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => {
      if (!(await lockProvider(tx, wallet))) return false;
      const suspendedAt = reason === null ? null : new Date();
      await tx.provider.update({ where: { wallet }, data: { suspendedAt, suspensionReason: reason } });
      await this.audit.write(tx, record);
      return true;
    });
  }
}

/** Until the transaction ends, the provider does one thing only. */
export async function lockProvider(
  tx: Prisma.TransactionClient,
  wallet: string,
): Promise<ActingProvider | undefined> {
  const [row] = await tx.$queryRaw<ActingProvider[]>`
    SELECT nonce, suspension_reason AS "suspensionReason" FROM catalog.providers WHERE wallet = ${wallet} FOR UPDATE`;
  return row;
}

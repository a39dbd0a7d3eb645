import { Prisma } from '@svc/persistence';

// Advisory locks; the numbers only have to be the same everywhere, and nobody else's (billing's is 20_261_130).
const CATALOGUE_LOCK = 20_261_121;
const PUBLICATION_LOCK = 20_261_122;
/** Of whoever takes up a certification. */
export const CLAIM_LOCK = 20_261_123;
/** Of whoever orders certifications that are due. */
const ORDERS_LOCK = 20_261_124;

/**
 * Until the transaction ends, definitions stand as they are. Who defines takes it exclusively; who refers to definitions
 * (an offer to its model's context) shares it.
 */
export async function lockCatalogue(
  tx: Prisma.TransactionClient,
  how: 'exclusive' | 'shared',
): Promise<void> {
  const lock =
    how === 'exclusive'
      ? Prisma.sql`pg_advisory_xact_lock(${CATALOGUE_LOCK}::bigint)`
      : Prisma.sql`pg_advisory_xact_lock_shared(${CATALOGUE_LOCK}::bigint)`;
  await tx.$executeRaw`SELECT ${lock}`;
}

/**
 * Until the transaction ends, nobody else orders certifications that are due. Who comes meanwhile waits: one that went away again would come
 * back after a minute only, and canaries are ordered each second.
 */
export async function lockOrders(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ORDERS_LOCK}::bigint)`;
}

/**
 * Until the transaction ends, no other replica publishes. What is read after this is at least as new as whatever was published
 * before: so no older view is published over a newer one.
 */
export async function lockPublication(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${PUBLICATION_LOCK}::bigint)`;
}

import type { ListWalletsRequest } from '@svc/contracts';
import { createLogger } from '@svc/observability';
import { createPrismaClient } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { AuditStore } from '../audit/audit.store';
import { startTestLedger } from '../ledger/ledger.for-spec';
import type { TestLedger } from '../ledger/ledger.for-spec';
import { PauseStore } from '../settlement/pause.store';
import { WalletListService } from './wallet-list.service';
import { WalletListStore } from './wallet-list.store';
import { WalletService } from './wallet.service';
import { WalletStore } from './wallet.store';

const operator = `0x${'0a'.repeat(20)}`;
const act = { reason: 'asked by its owner', actor: operator };
/** Addresses that tell their order. */
const wallets = ['1', '2', '3', '4', 'f'].map((digit) => `0x${digit.repeat(40)}`);
const [one = '', two = '', three = '', four = '', last = ''] = wallets;

let books: TestLedger;
let prisma: PrismaClient;
let service: WalletService;
let list: WalletListService;
let audit: AuditStore;

const addresses = async (request: ListWalletsRequest = {}) =>
  (await list.list(request)).wallets.map(({ wallet }) => wallet);

beforeAll(async () => {
  books = await startTestLedger();
  prisma = createPrismaClient(books.database.billingUrl);
  // Nothing here reads the chain.
  const chain = undefined as never;
  service = new WalletService(createLogger('test', 'silent'), new WalletStore(prisma), chain);
  list = new WalletListService(new WalletListStore(prisma));
  audit = new AuditStore(prisma);
  for (const wallet of wallets) {
    await books.sql(`INSERT INTO billing.wallet (wallet, limit_head, limit_safe) VALUES ($1, 100, 100)`, [
      wallet,
    ]);
  }
});
afterAll(async () => {
  await prisma.$disconnect();
  await books.close();
});

describe('operators', () => {
  it('suspend and reinstate a wallet; who did it and why stands in the trail', async () => {
    expect(await service.suspend({ wallet: three, ...act })).toMatchObject({ suspended: true });
    expect(await service.reinstate({ wallet: three, reason: 'mended', actor: 'carol' })).toMatchObject({
      suspended: false,
    });
    const { entries } = await audit.list({ subject: three });
    expect(entries).toMatchObject([
      { action: 'wallet.reinstate', subject: three, reason: 'mended', actor: 'carol' },
      { action: 'wallet.suspend', subject: three, ...act },
    ]);
  });

  it('leave nothing in the trail when nothing was done', async () => {
    const nobody = `0x${'9'.repeat(40)}`;
    await expect(service.suspend({ wallet: nobody, ...act })).rejects.toMatchObject({ status: 404 });
    expect((await audit.list({ subject: nobody })).entries).toEqual([]);
  });

  it('pause settlement and have it go on; a pause that stands is noted once', async () => {
    const pauses = new PauseStore(prisma);
    expect(await pauses.pause('figures are looked at', operator)).toBe(true);
    expect(await pauses.pause('again', operator)).toBe(false);
    expect(await pauses.resume('all is well', operator)).toBe(true);
    expect(await pauses.resume('again', operator)).toBe(false);
    const { entries } = await audit.list({ subject: 'settlement' });
    expect(entries.map(({ action, reason, actor }) => [action, reason, actor])).toEqual([
      ['settlement.resume', 'all is well', operator],
      ['settlement.pause', 'figures are looked at', operator],
    ]);
  });

  it('read the trail page by page, and nobody changes it', async () => {
    const first = await audit.list({ limit: 3 });
    expect(first.entries).toHaveLength(3);
    const second = await audit.list({ limit: 3, before: first.next! });
    expect(second).toMatchObject({ next: null });
    expect(second.entries.at(-1)).toMatchObject({ action: 'wallet.suspend' });
    await expect(prisma.$executeRaw`UPDATE billing.audit SET actor = 'nobody'`).rejects.toThrow();
    await expect(prisma.$executeRaw`DELETE FROM billing.audit`).rejects.toThrow();
  });
});

describe('the list of wallets', () => {
  beforeAll(async () => {
    await service.suspend({ wallet: last, ...act });
    await books.sql(`UPDATE billing.wallet SET pull_failed_at = now() WHERE wallet = $1`, [two]);
  });

  it('has those that may not spend first, page by page', async () => {
    const pages: string[][] = [];
    for (let after: string | undefined; ;) {
      const page = await list.list({ limit: 2, after });
      pages.push(page.wallets.map(({ wallet }) => wallet));
      if (page.next === null) break;
      after = page.next;
    }
    expect(pages).toEqual([[two, last], [one, three], [four]]);
    expect(await addresses({ limit: 3 })).toEqual([two, last, one]);
  });

  it('goes on where it was though the wallet it stopped at is judged meanwhile', async () => {
    const { next } = await list.list({ limit: 3 });
    await service.suspend({ wallet: one, ...act });
    expect(await addresses({ after: next! })).toEqual([three, four]);
    await service.reinstate({ wallet: one, ...act });
  });

  it('is searched by how an address begins', async () => {
    expect(await addresses({ search: '0x' })).toHaveLength(5);
    expect(await addresses({ search: '0x3' })).toEqual([three]);
    expect(await addresses({ search: last })).toEqual([last]);
    expect(await addresses({ search: '0x12' })).toEqual([]);
  });

  it('says why a wallet may not spend, and what it owes', async () => {
    const { wallets: found } = await list.list({ limit: 3 });
    expect(found).toMatchObject([
      { wallet: two, suspension: { suspendedAt: null, reason: null } },
      { wallet: last, suspension: { reason: act.reason, pullFailedAt: null } },
      { wallet: one, suspension: null, limit: '100', charged: '0', held: '0', unsettled: '0' },
    ]);
    expect(found[0]?.suspension?.pullFailedAt).toEqual(expect.any(String));
  });
});

import { billingContracts } from '@svc/contracts';
import type { ShowReceiptRequest } from '@svc/contracts';
import {
  dueLeaf,
  duesRoot,
  merkleRoot,
  readReceiptDocument,
  receiptLeaf,
  rootFromProof,
} from '@svc/contracts-evm';
import type { ReceiptDocument } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { eventually } from '@svc/testing';
import { Client } from 'pg';
import { addWallet, admission, charge, untilReadable } from '../ledger/ledger.for-spec';
import type { TestWallet } from '../ledger/ledger.for-spec';
import { StatementHarness } from '../statement/statement.for-spec';
import { ProjectionService } from './projection.service';
import { ReceiptStore } from './receipt.store';

let harness: StatementHarness;
beforeAll(async () => {
  harness = await StatementHarness.start();
});
afterAll(() => harness.stop());

async function served(wallet: TestWallet, cost: number): Promise<string> {
  const operation = admission(wallet, BigInt(Math.max(cost, 1)));
  await harness.books.ledger.admit(operation);
  const { holdId } = operation;
  await harness.books.ledger.resolve({ type: 'post', wallet: wallet.wallet, holdId, charge: charge(cost) });
  return holdId;
}

const show = (request: ShowReceiptRequest) => harness.gateway.call(billingContracts.showReceipt, request);

async function refusalOf(request: ShowReceiptRequest) {
  const error: unknown = await show(request).catch((reason: unknown) => reason);
  return SvcError.is(error) ? [error.status, error.code, error.message] : error;
}

/** Puts what two wallets owe into one batch, as settlement does. */
async function batch(wallets: readonly TestWallet[], batchId: string): Promise<void> {
  const { sql } = harness.books;
  await untilReadable(harness.books);
  await harness.service.app.get(ProjectionService).project('receipts');
  const store = harness.service.app.get(ReceiptStore);
  const dues = [];
  for (const { wallet } of wallets) {
    const { leaves } = (await store.unbatched(wallet, 10_000)) ?? { leaves: [] };
    const cumulative = leaves.reduce((sum, { amount }) => sum + amount, 0n);
    dues.push({ payer: wallet, cumulative, root: merkleRoot(leaves.map(({ leaf }) => leaf)) });
  }
  await sql(
    `INSERT INTO billing.settlement_batch (batch_id, root, dues, receipts, amount) VALUES ($1, $2, $3, 0, 0)`,
    [batchId, duesRoot(dues), dues.length],
  );
  for (const [position, { payer, cumulative, root }] of dues.entries()) {
    await sql(
      `INSERT INTO billing.settlement_due (wallet, seq, batch_id, position, previous, cumulative, payer_root, means)
       VALUES ($1, 1, $2, $3, 0, $4, $5, 0)`,
      [payer, batchId, position, String(cumulative), root],
    );
    await sql('UPDATE billing.receipt SET batch_id = $2 WHERE wallet = $1 AND batch_id IS NULL', [
      payer,
      batchId,
    ]);
  }
}

describe('a receipt', () => {
  it('is there at once, for its own wallet alone', async () => {
    const [wallet, other] = [await addWallet(harness.books, 10_000n), await addWallet(harness.books, 1n)];
    const requestId = await served(wallet, 450);
    // Other specs commit in the same server, and billing does not wait for them for ever.
    await untilReadable(harness.books);
    const document = await show({ keyHash: wallet.keyHash, requestId });
    expect(readReceiptDocument(document)).toEqual(document);
    expect(document).toMatchObject({
      receipt: { type: 'usage', id: requestId, wallet: wallet.wallet, cost_usdc: '0.000450', attempts: 1 },
      settlement: null,
    });
    expect(await harness.client.receipt.show({ wallet: wallet.wallet, requestId })).toEqual(document);
    const refusals = [
      await refusalOf({ keyHash: other.keyHash, requestId }),
      await refusalOf({ keyHash: wallet.keyHash, requestId: 'req_unknown' }),
      await refusalOf({ keyHash: wallet.keyHash, requestId, kind: 'refund' }),
    ];
    for (const refusal of refusals)
      expect(refusal).toEqual([404, 'invalid_request', 'There is no such receipt.']);
    expect(await refusalOf({ keyHash: 'f'.repeat(64), requestId })).toMatchObject({ 1: 'invalid_api_key' });
    expect(await refusalOf({ requestId })).toMatchObject({ 0: 400 });
    expect(await refusalOf({ requestId, wallet: wallet.wallet, keyHash: wallet.keyHash })).toMatchObject({
      0: 400,
    });
  });

  it('waits for what else the database is committing', async () => {
    const wallet = await addWallet(harness.books, 10_000n);
    const elsewhere = new Client({ connectionString: harness.books.database.adminUrl });
    await elsewhere.connect();
    await elsewhere.query('BEGIN; SELECT pg_current_xact_id()');
    const requestId = await served(wallet, 30);
    const projected = jest.spyOn(harness.service.app.get(ProjectionService), 'project');
    let questions = 0;
    // Whoever is told that it takes longer asks again: this process may stand still, and other specs commit as well.
    const ask = (): Promise<ReceiptDocument> => {
      questions++;
      return show({ wallet: wallet.wallet, requestId }).catch((error: unknown) =>
        SvcError.is(error) && error.code === 'no_capacity' ? ask() : Promise.reject(error as Error),
      );
    };
    const asked = ask();
    // It looks again, asked once.
    await eventually(() => projected.mock.calls.length > questions);
    await elsewhere.query('COMMIT');
    await elsewhere.end();
    expect((await asked).receipt).toMatchObject({ id: requestId, cost_usdc: '0.000030' });
    projected.mockRestore();
  });

  it('of a request that was not charged does not exist', async () => {
    const wallet = await addWallet(harness.books, 10_000n);
    const operation = admission(wallet, 10n);
    await harness.books.ledger.admit(operation);
    expect(await refusalOf({ keyHash: wallet.keyHash, requestId: operation.holdId })).toMatchObject({
      0: 404,
    });
  });

  it('has, once its batch is on chain, the way to the root that is there', async () => {
    const wallets = [await addWallet(harness.books, 10n ** 9n), await addWallet(harness.books, 10n ** 9n)];
    const [wallet] = wallets;
    if (!wallet) throw new Error('no wallet');
    const ids: string[] = [];
    for (const each of wallets)
      ids.push(...(await Promise.all([1, 2, 3, 4, 5].map((cost) => served(each, cost * 100)))));
    const refund = { wallet: wallet.wallet, holdId: ids[1] ?? '', reason: 'bad answer', actor: 'ops' };
    await harness.client.credit.refund(refund);
    await harness.client.credit.give({
      wallet: wallet.wallet,
      creditId: 'crd_1',
      amount: '7',
      reason: 'hi',
      actor: 'ops',
    });
    const batchId = `0x${'b'.repeat(64)}`;
    await batch(wallets, batchId);
    const asked = { wallet: wallet.wallet, requestId: ids[0] ?? '' };
    expect((await show(asked)).settlement).toBeNull();
    await harness.books.sql(`UPDATE billing.settlement_batch SET state = 'mined'`);

    const reads = jest.spyOn(harness.service.app.get(ReceiptStore), 'treeOf');
    const documents: ReceiptDocument[] = [
      ...(await Promise.all(ids.slice(0, 5).map((requestId) => show({ wallet: wallet.wallet, requestId })))),
      await show({ wallet: wallet.wallet, requestId: refund.holdId, kind: 'refund' }),
      await show({ wallet: wallet.wallet, requestId: 'crd_1', kind: 'credit' }),
    ];
    // However many ask for receipts of a due, its tree is made once.
    expect(reads).toHaveBeenCalledTimes(1);
    const [{ root } = { root: '' }] = await harness.books.sql<{ root: string }>(
      'SELECT root FROM billing.settlement_batch',
    );
    // The other wallet's as well: to the same root, by another line.
    const [, other] = wallets;
    const others = await show({ wallet: other?.wallet, requestId: ids[7] ?? '' });
    expect(rootFromProof(receiptLeaf(others.receipt), others.settlement?.receipt_proof ?? [])).toBe(
      others.settlement?.payer_root,
    );
    expect(documents.map(({ receipt }) => receipt.type).sort()).toEqual([
      'credit',
      'refund',
      ...Array<string>(5).fill('usage'),
    ]);
    for (const document of documents) {
      expect(readReceiptDocument(document)).toEqual(document);
      const { receipt, settlement } = document;
      if (!settlement) throw new Error('not settled');
      expect(settlement).toMatchObject({ batch_id: batchId, chain_id: 31_337, payer: wallet.wallet });
      const payerRoot = rootFromProof(receiptLeaf(receipt), settlement.receipt_proof);
      expect(payerRoot).toBe(settlement.payer_root);
      // 100 + … + 500, less the refund of 200 and the credit of 7.
      expect(settlement.cumulative).toBe('1293');
      const leaf = dueLeaf({
        payer: settlement.payer,
        cumulative: BigInt(settlement.cumulative),
        root: payerRoot,
      });
      expect(rootFromProof(leaf, settlement.batch_proof)).toBe(root);
    }
  });

  it('has its place in the tree of more than are read at once', async () => {
    const wallet = await addWallet(harness.books, 10n ** 9n);
    // Those that cost nothing are chosen after the others.
    await Promise.all(Array.from({ length: 450 }, (_, index) => served(wallet, index % 3)));
    await harness.books.sql(
      `UPDATE billing.settlement_batch SET state = 'settled', settled_at = now(), settled_block = 1`,
    );
    const batchId = `0x${'a'.repeat(64)}`;
    await batch([wallet], batchId);
    const [due] = await harness.books.sql<{ payer_root: string; cumulative: string }>(
      'SELECT payer_root, cumulative::text FROM billing.settlement_due WHERE batch_id = $1',
      [batchId],
    );
    // Read whole, in the order that the database gives.
    const tree = await harness.service.app.get(ReceiptStore).ofDue(wallet.wallet, batchId);
    expect(tree).toHaveLength(450);
    expect(due).toEqual({
      payer_root: merkleRoot(tree.map(({ leaf }) => leaf)),
      cumulative: '450',
    });
  });
});

import { connectChain, isChainError, isReceiptError, verifyReceipt } from './index';
import type { Receipt, ReceiptDocument } from '@svc/contracts';
import type { ReceiptErrorCode } from './index';
import { bytes32, deployFresh, startPrivateChain } from './private-chain.for-spec';
import type { Deployment, PrivateChain } from './private-chain.for-spec';
import { creditReceipt, fundPayer, settleReceipts, usageReceipt } from './settled-receipts.for-spec';

type Path = (string | number)[];

/** Every place in a value that holds no list or object of its own. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]));
}

/** A copy of `document` with the value at `path` changed. */
function changedAt(document: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(document);
  const record = document as Record<string, unknown>;
  const changed = { ...record, [name]: changedAt(record[name], rest, change) };
  return Array.isArray(document) ? Object.values(changed) : changed;
}

/** Another value of the same form: the next digit in the last place, a number one higher, a letter more. */
function neighbourOf(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  const text = String(value);
  if (!/[0-9a-f]$/.test(text)) return `${text}s`;
  if (text.endsWith('Z')) return text.replace(/\dZ$/, '7Z');
  return (
    text.slice(0, -1) +
    (text.endsWith('9') ? '8' : ((parseInt(text.at(-1) as string, 16) + 1) % 10).toString())
  );
}

async function refusalOf(verifying: Promise<unknown>): Promise<ReceiptErrorCode | 'accepted'> {
  try {
    await verifying;
    return 'accepted';
  } catch (error) {
    if (isReceiptError(error)) return error.code;
    throw error;
  }
}

describe('verifyReceipt', () => {
  let chain: PrivateChain;
  let deployment: Deployment;
  let documents: ReceiptDocument[];
  let alice: string;

  const verify = (document: unknown, contract = deployment.settlement) =>
    verifyReceipt(document, chain.provider, { contract, deployBlock: deployment.deployBlock });
  const first = () => documents[0] as ReceiptDocument;
  const settled = () => first().settlement as NonNullable<ReceiptDocument['settlement']>;

  beforeAll(async () => {
    chain = await startPrivateChain();
    deployment = await deployFresh(chain);
    alice = await fundPayer(chain, deployment, 1, 10_000n);
    const bob = await fundPayer(chain, deployment, 2, 1_000n);
    const carol = await fundPayer(chain, deployment, 3, 10_000n);
    documents = await settleReceipts(chain, deployment, 1, [
      {
        payer: alice,
        cumulative: 4_002n,
        receipts: [usageReceipt(alice), usageReceipt(alice, { id: 'req_02' }), creditReceipt(alice)],
      },
      { payer: bob, cumulative: 2_002n, receipts: [usageReceipt(bob)] },
      { payer: carol, cumulative: 2_002n, receipts: [usageReceipt(carol)] },
    ]);
  });
  afterAll(() => chain.stop());

  it('accepts each receipt of a settled batch, and tells what was paid and where', async () => {
    for (const document of documents) {
      const verified = await verify(JSON.parse(JSON.stringify(document)));
      expect(verified.receipt).toEqual(document.receipt);
    }
    const verified = await verify(first());
    expect(verified).toMatchObject({ amount: 2_002n, cumulative: 4_002n, pulled: 4_002n, paid: true });
    const receipt = await chain.provider.getTransactionReceipt(verified.transaction as string);
    expect(receipt?.to).toBe(deployment.settlement);
    expect((await verify(documents[2])).amount).toBe(2n);
  });

  it('accepts a receipt whose batch is not wholly paid yet, and says so', async () => {
    expect(await verify(documents[3])).toMatchObject({
      cumulative: 2_002n,
      pulled: 1_000n,
      paid: false,
      transaction: null,
    });
  });

  it('finds the payment also where it was completed by a later batch', async () => {
    const dave = await fundPayer(chain, deployment, 4, 1_000n);
    const line = { payer: dave, cumulative: 2_002n, receipts: [usageReceipt(dave)] };
    const [document] = await settleReceipts(chain, deployment, 2, [line]);
    expect(await verify(document)).toMatchObject({ paid: false });
    await fundPayer(chain, deployment, 4, 5_000n);
    await settleReceipts(chain, deployment, 3, [{ ...line, cumulative: 4_004n }]);
    const { paid, transaction } = await verify(document);
    expect(paid).toBe(true);
    const mined = await chain.provider.getTransactionReceipt(transaction as string);
    expect(mined?.logs.some(({ topics }) => topics.includes(bytes32(3)))).toBe(true);
  });

  it('refuses the document with any one value changed', async () => {
    for (const document of [documents[0], documents[2]] as ReceiptDocument[]) {
      const paths = pathsOf(document);
      expect(paths.length).toBeGreaterThanOrEqual(15);
      for (const path of paths) {
        const changed = changedAt(document, path, neighbourOf);
        expect(changed).not.toEqual(document);
        expect(`${path.join('.')}: ${await refusalOf(verify(changed))}`).not.toMatch(/accepted$/);
      }
    }
  });

  it('refuses the document with any one field left out, of another type, or added', async () => {
    for (const path of [['receipt'], ['settlement'], ...pathsOf(first())] as Path[]) {
      const where = path.join('.');
      for (const value of [undefined, {}, [], '', -1, 0.5, true]) {
        const changed = changedAt(first(), path, () => value);
        expect(`${where}: ${await refusalOf(verify(changed))}`).toBe(`${where}: malformed`);
      }
      for (const value of ['0x', '1e3', '-1', '+1', ' 1', '0x1', '01', '9'.repeat(80)]) {
        const changed = changedAt(first(), path, () => value);
        expect(`${where}: ${await refusalOf(verify(changed))}`).not.toMatch(/accepted$/);
      }
    }
    const additions = [
      { ...first(), note: 'x' },
      { ...first(), receipt: { ...first().receipt, discount: '1.000000' } },
      { ...first(), settlement: { ...settled(), transaction: 'x' } },
      JSON.parse(`{"__proto__": {}, "receipt": {}, "settlement": null}`) as unknown,
    ];
    for (const changed of additions) expect(await refusalOf(verify(changed))).toBe('malformed');
    const node = settled().batch_proof[0] as string;
    for (const name of ['receipt_proof', 'batch_proof'] as const) {
      const proof = settled()[name];
      for (const changed of [proof.slice(1), [...proof, node], [...proof].reverse(), []]) {
        if (JSON.stringify(changed) === JSON.stringify(proof)) continue;
        const document = { ...first(), settlement: { ...settled(), [name]: changed } };
        expect(await refusalOf(verify(document))).toBe('not_in_batch');
      }
    }
  });

  it.each([null, undefined, 7, 'receipt', [], {}])('refuses %j', async (value) => {
    expect(await refusalOf(verify(value))).toBe('malformed');
  });

  it('tells the reasons apart', async () => {
    const withReceipt = (change: object) => ({ ...first(), receipt: { ...first().receipt, ...change } });
    const withSettlement = (change: object) => ({ ...first(), settlement: { ...settled(), ...change } });
    const cases: [ReceiptErrorCode, unknown][] = [
      // More than a ledger can hold, and another way to write the same.
      ['malformed', withReceipt({ cost_usdc: '9999999999999.000000' })],
      ['malformed', withReceipt({ cost_usdc: '0.002002000' })],
      ['malformed', withReceipt({ cost_usdc: '-0.002002' })],
      ['not_settled', { ...first(), settlement: null }],
      ['wrong_price', withReceipt({ cost_usdc: '0.002001' })],
      ['wrong_price', withReceipt({ held_usdc: '0.002001' })],
      ['wrong_price', withReceipt({ prompt_tokens: 999 })],
      ['other_contract', withSettlement({ contract: deployment.usdc })],
      ['other_chain', withSettlement({ chain_id: 1 })],
      ['other_payer', withReceipt({ wallet: deployment.treasury })],
      ['unknown_batch', withSettlement({ batch_id: bytes32(99) })],
      ['not_in_batch', withReceipt({ model: 'svc/demo-large@1' })],
      [
        'not_in_batch',
        {
          ...first(),
          receipt: (documents[3] as { receipt: Receipt }).receipt,
          settlement: { ...settled(), payer: (documents[3] as ReceiptDocument).receipt.wallet },
        },
      ],
    ];
    for (const [code, document] of cases) expect(await refusalOf(verify(document))).toBe(code);
  });

  it('takes addresses in any case, and the contract only from the verifier', async () => {
    expect(await refusalOf(verify(first(), deployment.settlement.toLowerCase()))).toBe('accepted');
    expect(await refusalOf(verify(first(), deployment.treasury))).toBe('other_contract');
    // The same batch under the same id, on a contract of whoever wrote the file.
    const forged = await deployFresh(chain);
    const lines = [{ payer: alice, cumulative: 2_002n, receipts: [usageReceipt(alice)] }];
    const [document] = await settleReceipts(chain, forged, 1, lines);
    expect(await refusalOf(verify(document))).toBe('other_contract');
    expect(await refusalOf(verify(document, forged.settlement))).toBe('accepted');
  });

  it('tells when there is no settlement contract where the verifier says', async () => {
    const elsewhere = { ...first(), settlement: { ...settled(), contract: deployment.usdc } };
    const nowhere = { ...first(), settlement: { ...settled(), contract: deployment.treasury } };
    for (const [document, contract] of [
      [elsewhere, deployment.usdc],
      [nowhere, deployment.treasury],
    ] as const) {
      const error = await verify(document, contract).catch((thrown: unknown) => thrown);
      expect(isChainError(error, 'no_contract')).toBe(true);
    }
  });

  it('accepts a receipt although the server refuses to look for the payment', async () => {
    const { url } = chain.provider._getConnection();
    const { chainId } = await chain.provider.getNetwork();
    const strict = await connectChain({ rpcUrl: url, chainId });
    jest.spyOn(strict, 'getLogs').mockRejectedValue(new Error('range too wide'));
    const verified = await verifyReceipt(first(), strict, { contract: deployment.settlement });
    expect(verified).toMatchObject({ paid: true, transaction: null });
    strict.destroy();
  });
});

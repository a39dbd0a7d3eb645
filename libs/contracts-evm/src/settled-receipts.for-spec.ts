import { testUsdcAt } from './index';
import { duesRoot, dueLeaf, merkleRoot, merkleTree, receiptLeaf } from './index';
import type { CreditReceipt, Receipt, ReceiptDocument, UsageReceipt } from '@svc/contracts';
import type { Due } from './index';
import { bytes32, mined } from './private-chain.for-spec';
import type { Deployment, PrivateChain } from './private-chain.for-spec';

/** Fresh copies to change. 1,000 tokens at 1 USDC and 501 at 2 USDC per million: 2,002 base units. */
export function usageReceipt(wallet: string, change: Partial<UsageReceipt> = {}): UsageReceipt {
  return {
    type: 'usage',
    id: 'req_01',
    wallet,
    key_id: 'key_01',
    model: 'svc/demo-small@1',
    provider: '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
    offer_id: 'offer_01',
    input_price_per_mtok: '1000000',
    output_price_per_mtok: '2000000',
    prompt_tokens: 1_000,
    completion_tokens: 501,
    token_source: 'provider',
    attempts: 1,
    finish_reason: 'stop',
    held_usdc: '0.010000',
    cost_usdc: '0.002002',
    created_at: '2026-11-21T06:00:00.123456Z',
    ...change,
  };
}

export function creditReceipt(wallet: string, change: Partial<CreditReceipt> = {}): CreditReceipt {
  return {
    type: 'credit',
    id: 'crd_01',
    wallet,
    amount_usdc: '0.000002',
    reason: 'goodwill',
    created_at: '2026-11-21T06:00:01.000000Z',
    ...change,
  };
}

/** What a payer's receipts in a batch are, and all it owes after them. */
interface PayerReceipts {
  payer: string;
  cumulative: bigint;
  receipts: Receipt[];
}

/** Settles a batch of these receipts; gives each one's document, in their order. */
export async function settleReceipts(
  { provider }: PrivateChain,
  { contract, settlement }: Deployment,
  label: number,
  payers: readonly PayerReceipts[],
): Promise<ReceiptDocument[]> {
  const dues: Due[] = payers.map(({ payer, cumulative, receipts }) => ({
    payer,
    cumulative,
    root: merkleRoot(receipts.map(receiptLeaf)),
  }));
  await mined(contract.settle(bytes32(label), dues));
  if ((await contract.batchRoot(bytes32(label))) !== duesRoot(dues)) throw new Error('another root');
  const { chainId } = await provider.getNetwork();
  return payers.flatMap(({ payer, cumulative, receipts }, position) =>
    receipts.map((receipt, index) => ({
      receipt,
      settlement: {
        chain_id: Number(chainId),
        contract: settlement,
        batch_id: bytes32(label),
        receipt_proof: merkleTree(receipts.map(receiptLeaf)).proof(index),
        payer,
        cumulative: cumulative.toString(),
        payer_root: dues[position]?.root as string,
        batch_proof: merkleTree(dues.map(dueLeaf)).proof(position),
      },
    })),
  );
}

/** Gives the account of this index tokens, and lets the contract spend as many. @returns its address */
export async function fundPayer(
  chain: PrivateChain,
  { usdc, settlement }: Deployment,
  index: number,
  amount: bigint,
): Promise<string> {
  const payer = await chain.signer(index);
  const token = testUsdcAt(usdc, payer);
  await mined(token.faucet(payer.address, amount));
  await mined(token.approve(settlement, amount));
  return payer.address.toLowerCase();
}

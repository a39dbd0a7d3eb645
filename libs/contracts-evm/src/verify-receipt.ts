import { parseUsdc, priceOf } from '@svc/money';
import type { Provider } from 'ethers';
import { ChainError, isUnknownCall } from './chain-error';
import { findPull } from './find-pull';
import { dueLeaf, rootFromProof } from './merkle';
import { receiptLeaf } from './receipt';
import type { Receipt, ReceiptSettlement, UsageReceipt } from '@svc/contracts';
import { readReceiptDocument } from './receipt-document';
import { ReceiptError } from './receipt-error';
import { settlementAt } from './settlement.binding';

/** What the verifier knows without the receipt. */
interface ReceiptTrust {
  /** The settlement contract's address, from whoever wants to know: a file can name any. */
  contract: string;
  /** The contract's first block: there is no use in looking for the payment before it. 0 unless told. */
  deployBlock?: number;
}

/** What a receipt was found to say; all amounts in base units. */
interface VerifiedReceipt {
  receipt: Receipt;
  settlement: ReceiptSettlement;
  /** A usage's cost; what a refund or credit gave back. */
  amount: bigint;
  /** All the payer had owed as of the batch. */
  cumulative: bigint;
  /** All the contract has pulled from the payer. */
  pulled: bigint;
  /** Whether the payer has paid all of `cumulative`; if not, the receipt is in its batch and payment is to come. */
  paid: boolean;
  /** The block this was read at. */
  blockNumber: number;
  /** The transaction that completed the payment of `cumulative`; null when unpaid, or not found within reach. */
  transaction: string | null;
}

/**
 * Checks a receipt against the chain alone: its form, its arithmetic, and that the contract the verifier trusts keeps a
 * batch root that both proofs lead to.
 * @param document the parsed file, whatever it holds
 * @param provider for the chain the verifier trusts
 * @throws ReceiptError when the receipt proves nothing; ChainError `no_contract` when there is no settlement contract at
 *   `trust.contract`; ethers' own errors when the server does not answer
 */
export async function verifyReceipt(
  document: unknown,
  provider: Provider,
  trust: ReceiptTrust,
): Promise<VerifiedReceipt> {
  const { receipt, settlement } = readReceiptDocument(document);
  const amount = receipt.type === 'usage' ? requirePrice(receipt) : parseUsdc(receipt.amount_usdc);
  if (settlement === null) throw new ReceiptError('not_settled', 'the receipt is not on chain yet');
  if (!sameHex(settlement.contract, trust.contract)) {
    throw new ReceiptError(
      'other_contract',
      `settlement.contract is ${settlement.contract}, not the trusted ${trust.contract}`,
    );
  }
  if (!sameHex(receipt.wallet, settlement.payer)) {
    throw new ReceiptError('other_payer', 'receipt.wallet is not settlement.payer');
  }
  const root = requireProofs(receipt, settlement);
  const { chainId } = await provider.getNetwork();
  if (BigInt(settlement.chain_id) !== chainId) {
    throw new ReceiptError(
      'other_chain',
      `settlement.chain_id is ${settlement.chain_id}, the chain's is ${chainId}`,
    );
  }
  const { known, pulled, blockNumber } = await readBatch(provider, trust.contract, settlement);
  if (BigInt(known) === 0n) {
    throw new ReceiptError('unknown_batch', `the contract has no batch ${settlement.batch_id}`);
  }
  if (known !== root) {
    throw new ReceiptError(
      'not_in_batch',
      'the proofs do not lead to the root the contract keeps for the batch',
    );
  }
  const cumulative = BigInt(settlement.cumulative);
  const paid = pulled >= cumulative;
  const search = {
    payer: settlement.payer,
    cumulative,
    firstBlock: trust.deployBlock ?? 0,
    lastBlock: blockNumber,
  };
  const transaction = paid ? await findPull(provider, trust.contract, search) : null;
  return { receipt, settlement, amount, cumulative, pulled, paid, blockNumber, transaction };
}

/** @returns the cost in base units */
function requirePrice(receipt: UsageReceipt): bigint {
  const prices = {
    inputPerMtok: BigInt(receipt.input_price_per_mtok),
    outputPerMtok: BigInt(receipt.output_price_per_mtok),
  };
  const cost = parseUsdc(receipt.cost_usdc);
  if (cost !== priceOf(prices, receipt.prompt_tokens, receipt.completion_tokens)) {
    throw new ReceiptError('wrong_price', 'receipt.cost_usdc does not follow from the tokens and prices');
  }
  if (cost > parseUsdc(receipt.held_usdc)) {
    throw new ReceiptError('wrong_price', 'receipt.cost_usdc is above receipt.held_usdc');
  }
  return cost;
}

/** @returns the batch root that the proofs lead to */
function requireProofs(receipt: Receipt, settlement: ReceiptSettlement): string {
  const payerRoot = rootFromProof(receiptLeaf(receipt), settlement.receipt_proof);
  if (!sameHex(payerRoot, settlement.payer_root)) {
    throw new ReceiptError('not_in_batch', 'settlement.receipt_proof does not lead to settlement.payer_root');
  }
  const { payer, cumulative } = settlement;
  const leaf = dueLeaf({ payer, cumulative: BigInt(cumulative), root: payerRoot });
  return rootFromProof(leaf, settlement.batch_proof);
}

async function readBatch(provider: Provider, address: string, { batch_id, payer }: ReceiptSettlement) {
  const contract = settlementAt(address, provider);
  const blockNumber = await provider.getBlockNumber();
  try {
    const [known, pulled] = await Promise.all([
      contract.batchRoot(batch_id, { blockTag: blockNumber }),
      contract.pulled(payer, { blockTag: blockNumber }),
    ]);
    return { known, pulled, blockNumber };
  } catch (error) {
    if (!isUnknownCall(error)) throw error;
    throw new ChainError('no_contract', `no settlement contract at ${address}`);
  }
}

function sameHex(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

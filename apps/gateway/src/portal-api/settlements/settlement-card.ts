import type { DueView, WalletDue } from '@svc/contracts';
import { formatUsdc, parseBaseUnits, usdcOf } from '@svc/money';
import type { OwnLine, Settlement, SettlementReply } from './settlement.dto';

/** A batch as one of its payers sees it. */
export function settlementCard({ batch, line, receipts }: WalletDue): Settlement {
  return {
    id: batch.batchId,
    state: batch.state,
    created_at: batch.createdAt,
    settled_at: batch.settledAt,
    tx_hash: batch.txHash,
    gas_cost_wei: batch.gasCost,
    root: batch.root,
    wallets: batch.dues,
    total_usdc: usdcOf(batch.amount),
    own: ownLine(line, receipts),
  };
}

export function settlementDetails(view: DueView): SettlementReply {
  return {
    ...settlementCard(view),
    transactions: view.transactions.map(({ txHash, signedAt, broadcast }) => ({
      tx_hash: txHash,
      signed_at: signedAt,
      sent: broadcast,
    })),
    collected: view.collected.map(({ kind, id, createdAt, amount, model }) => ({
      kind,
      id,
      created_at: createdAt,
      amount_usdc: usdcOf(amount),
      model,
    })),
    next: view.next,
  };
}

function ownLine(line: WalletDue['line'], receipts: number): OwnLine {
  return {
    previous_usdc: usdcOf(line.previous),
    cumulative_usdc: usdcOf(line.cumulative),
    amount_usdc: formatUsdc(parseBaseUnits(line.cumulative) - parseBaseUnits(line.previous)),
    pulled_usdc: usdcOf(line.pulled),
    failed: line.failed,
    receipts,
    payer_root: line.payerRoot,
  };
}

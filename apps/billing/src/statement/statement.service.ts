import { Injectable } from '@nestjs/common';
import type { CreditList, ListCreditsRequest, ShowPositionRequest, StatementPosition } from '@svc/contracts';
import { parseBaseUnits } from '@svc/money';
import { pageOf } from '@svc/persistence';
import { BillingConfig } from '../billing.config';
import { suspensionOf } from '../wallet/suspension';
import { unknownWallet } from '../wallet/unknown-wallet';
import { CreditListStore } from './credit-list.store';
import { CURSOR_FORMS, decodeCursor, encodeCursor } from './cursor';
import { PositionStore } from './position.store';
import type { PositionRow } from './position.store';

const CREDITS_A_PAGE = 50;

/** A wallet's position, and what was given to it. */
@Injectable()
export class StatementService {
  private readonly unsettledCap: bigint;

  constructor(
    config: BillingConfig,
    private readonly positions: PositionStore,
    private readonly credits: CreditListStore,
  ) {
    this.unsettledCap = parseBaseUnits(config.unsettledCap);
  }

  /** @throws SvcError invalid_request (404) for an unknown wallet */
  async position({ wallet }: ShowPositionRequest): Promise<StatementPosition> {
    const row = await this.positions.find(wallet);
    if (!row) throw unknownWallet();
    return positionOf(row, this.unsettledCap);
  }

  /** @throws SvcError invalid_request */
  async listCredits(request: ListCreditsRequest): Promise<CreditList> {
    const { time, word } = CURSOR_FORMS;
    const after = decodeCursor(request.cursor, [time, word, word]);
    const most = request.limit ?? CREDITS_A_PAGE;
    const { items, last } = pageOf(await this.credits.page(request, after, most + 1), most);
    return {
      lines: items.map(({ kind, credit_id, created_at, amount, reason, actor }) => ({
        kind,
        id: credit_id,
        createdAt: created_at,
        amount,
        reason,
        actor,
      })),
      next: last ? encodeCursor([last.created_at, last.kind, last.credit_id]) : null,
    };
  }
}

/** What is collectable comes from the chain's figures alone; that available, held and unsettled add up to it is the ledger's doing. */
function positionOf(row: PositionRow, unsettledCap: bigint): StatementPosition {
  const unsettled = row.posted - row.credited - row.settled_safe;
  const atHead = row.limit_head + row.settled_head;
  const atSafe = row.limit_safe + row.settled_safe;
  const collectable = (atHead < atSafe ? atHead : atSafe) - row.settled_safe;
  const underCap = unsettledCap - (unsettled > 0n ? unsettled : 0n) - row.held;
  const free = row.headroom < underCap ? row.headroom : underCap;
  const suspension = suspensionOf(row);
  return {
    wallet: row.wallet,
    balance: row.balance === null ? null : String(row.balance),
    approved: row.approved === null ? null : String(row.approved),
    limitHead: String(row.limit_head),
    limitSafe: String(row.limit_safe),
    collectable: String(collectable),
    available: String(row.headroom),
    held: String(row.held),
    unsettled: String(unsettled),
    posted: String(row.posted),
    credited: String(row.credited),
    settled: String(row.settled_safe),
    spendable: String(suspension || free < 0n ? 0n : free),
    openHolds: Number(row.open_holds),
    suspension,
  };
}

import { Injectable } from '@nestjs/common';
import type { ListWalletsRequest, WalletPage, WalletSummary } from '@svc/contracts';
import { pageOf } from '@svc/persistence';
import { suspensionOf } from './suspension';
import { WalletListStore } from './wallet-list.store';
import type { ListedWallet, WalletPart, WalletSelection } from './wallet-list.store';

const USUAL_PAGE = 50;
const ANY = '0x';

interface Line {
  part: WalletPart;
  row: ListedWallet;
}

/** The list of wallets for those who look after them: who may not spend comes first. */
@Injectable()
export class WalletListService {
  constructor(private readonly store: WalletListStore) {}

  async list({ search = ANY, after, limit = USUAL_PAGE }: ListWalletsRequest): Promise<WalletPage> {
    const [part, wallet = ''] = (after?.split('-') ?? ['suspended']) as [WalletPart, string?];
    const wanted = limit + 1;
    const lines = await this.read({ part, prefix: search, after: wallet, limit: wanted });
    if (part === 'suspended' && lines.length < wanted) {
      const limit = wanted - lines.length;
      lines.push(...(await this.read({ part: 'standing', prefix: search, after: '', limit })));
    }
    const { items, last } = pageOf(lines, limit);
    return {
      wallets: items.map(({ row }) => summaryOf(row)),
      next: last ? `${last.part}-${last.row.wallet}` : null,
    };
  }

  private async read(selection: WalletSelection): Promise<Line[]> {
    return (await this.store.read(selection)).map((row) => ({ part: selection.part, row }));
  }
}

function summaryOf(row: ListedWallet): WalletSummary {
  return {
    wallet: row.wallet,
    registeredAt: row.created_at.toISOString(),
    suspension: suspensionOf(row),
    limit: String(row.limit_head),
    charged: String(row.charged),
    held: String(row.held),
    unsettled: String(row.unsettled),
  };
}

import type { Admission, AdmissionResult, Charge, Renewal, Resolution, ResolutionResult } from './operation';

/** What the database says of one wallet, in the model's own terms. */
export interface WalletState {
  limitHead: bigint;
  limitSafe: bigint;
  settledHead: bigint;
  settledSafe: bigint;
  posted: bigint;
  held: bigint;
  suspended: boolean;
}

export type AccountName = 'payer' | 'held' | 'provider' | 'platform_fee' | 'platform_loss';

interface HoldState {
  wallet: string;
  keyId: string;
  amount: bigint;
  state: 'open' | Exclude<ResolutionResult['state'], 'unknown' | 'above_hold' | 'open'>;
  charged: bigint;
  lapsed: boolean;
}

/**
 * The ledger as it should be, in memory, in the plainest way: one operation after the other, and nothing of how the
 * database does it. Accounts hold debits less credits.
 */
export class ReferenceModel {
  readonly wallets = new Map<string, WalletState>();
  readonly keys = new Map<string, { wallet: string; keyId: string; revoked: boolean }>();
  readonly holds = new Map<string, HoldState>();
  readonly accounts: Record<AccountName, bigint> = {
    payer: 0n,
    held: 0n,
    provider: 0n,
    platform_fee: 0n,
    platform_loss: 0n,
  };

  admit({ keyHash, holdId, amount }: Admission): AdmissionResult {
    const key = this.keys.get(keyHash);
    if (!key || key.revoked) return { outcome: 'unknown_key' };
    const { wallet, keyId } = key;
    const known = this.holdOf(wallet, holdId);
    if (known) {
      if (known.amount !== amount || known.keyId !== keyId) return { outcome: 'different' };
      return known.state === 'open' ? { outcome: 'held', wallet, keyId, amount } : { outcome: 'resolved' };
    }
    const state = this.walletOf(wallet);
    if (state.suspended) return { outcome: 'suspended' };
    const headroom = headroomOf(state);
    if (amount > headroom) {
      return { outcome: 'insufficient', held: state.held, spendable: headroom > 0n ? headroom : 0n };
    }
    state.held += amount;
    this.move('payer', 'held', amount);
    const hold: HoldState = { wallet, keyId, amount, state: 'open', charged: 0n, lapsed: false };
    this.holds.set(`${wallet}/${holdId}`, hold);
    return { outcome: 'held', wallet, keyId, amount };
  }

  resolve(resolution: Resolution): ResolutionResult {
    const hold = this.holdOf(resolution.wallet, resolution.holdId);
    if (!hold) return { state: 'unknown', charged: 0n };
    if (resolution.type === 'post') return this.post(hold, resolution.charge);
    if (resolution.type === 'abandon' && hold.state === 'posted' && hold.charged > 0n) {
      this.walletOf(hold.wallet).posted -= hold.charged;
      this.move('platform_loss', 'payer', hold.charged);
      hold.charged = 0n;
      hold.state = 'refunded';
    }
    if (hold.state === 'open') {
      if (resolution.type === 'expire' && !hold.lapsed) return { state: 'open', charged: 0n };
      this.free(hold);
      hold.state = resolution.type === 'expire' ? 'expired' : 'voided';
    }
    return { state: hold.state, charged: hold.charged };
  }

  renew({ wallet, holdId }: Renewal): { renewed: boolean } {
    const hold = this.holdOf(wallet, holdId);
    if (hold?.state !== 'open') return { renewed: false };
    hold.lapsed = false;
    return { renewed: true };
  }

  private post(hold: HoldState, charge: Charge): ResolutionResult {
    const { cost, providerShare, platformLoss, platformLossShare } = charge;
    if (hold.state !== 'open' && hold.state !== 'voided' && hold.state !== 'expired') {
      return { state: hold.state, charged: hold.charged };
    }
    if (cost > hold.amount) return { state: 'above_hold', charged: 0n };
    const inTime = hold.state === 'open';
    if (inTime) {
      this.free(hold);
      this.walletOf(hold.wallet).posted += cost;
      hold.charged = cost;
    }
    hold.state = inTime ? 'posted' : 'late';
    const payer = inTime ? 'payer' : 'platform_loss';
    this.move(payer, 'provider', providerShare);
    this.move(payer, 'platform_fee', cost - providerShare);
    this.move('platform_loss', 'provider', platformLossShare);
    this.move('platform_loss', 'platform_fee', platformLoss - platformLossShare);
    return { state: hold.state, charged: hold.charged };
  }

  private free(hold: HoldState): void {
    this.walletOf(hold.wallet).held -= hold.amount;
    this.move('held', 'payer', hold.amount);
  }

  private move(debit: AccountName, credit: AccountName, amount: bigint): void {
    this.accounts[debit] += amount;
    this.accounts[credit] -= amount;
  }

  private holdOf(wallet: string, holdId: string): HoldState | undefined {
    return this.holds.get(`${wallet}/${holdId}`);
  }

  private walletOf(wallet: string): WalletState {
    const state = this.wallets.get(wallet);
    if (!state) throw new Error(`the model has no wallet ${wallet}`);
    return state;
  }
}

export function headroomOf(state: WalletState): bigint {
  const head = state.limitHead + state.settledHead;
  const safe = state.limitSafe + state.settledSafe;
  return (head < safe ? head : safe) - state.posted - state.held;
}

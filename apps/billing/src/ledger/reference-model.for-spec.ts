import type {
  Admission,
  AdmissionResult,
  Charge,
  QuotaLimit,
  Renewal,
  Resolution,
  ResolutionResult,
} from './operation';

/** What the database says of one wallet, in the model's own terms. */
interface WalletState {
  limitHead: bigint;
  limitSafe: bigint;
  settledHead: bigint;
  settledSafe: bigint;
  posted: bigint;
  credited: bigint;
  held: bigint;
  suspended: boolean;
}

type AccountName = 'payer' | 'held' | 'provider' | 'platform_fee' | 'platform_loss' | 'settled';

/** A key and its budget. */
interface KeyState {
  wallet: string;
  keyId: string;
  revoked: boolean;
  cap: bigint | null;
  spent: bigint;
  held: bigint;
  /** `spent` is of an earlier period. */
  stale: boolean;
  /** Counts the periods in which something was charged. */
  period: number;
}

/** The request that an idempotency key stands for. */
interface ClaimState {
  fingerprint: string;
  holdId: string;
  keyHash: string;
  completed: boolean;
}

interface HoldState {
  wallet: string;
  keyId: string;
  amount: bigint;
  state: 'open' | Exclude<ResolutionResult['state'], 'unknown' | 'above_hold' | 'open'>;
  charged: bigint;
  /** In which of its key's periods it was charged. */
  period?: number;
  lapsed: boolean;
}

/**
 * The ledger as it should be, in memory, in the plainest way: one operation after the other, and nothing of how the
 * database does it. Accounts hold debits less credits.
 */
export class ReferenceModel {
  readonly wallets = new Map<string, WalletState>();
  readonly keys = new Map<string, KeyState>();
  readonly claims = new Map<string, ClaimState>();
  readonly holds = new Map<string, HoldState>();
  readonly accounts: Record<AccountName, bigint> = {
    payer: 0n,
    held: 0n,
    provider: 0n,
    platform_fee: 0n,
    platform_loss: 0n,
    settled: 0n,
  };

  constructor(private readonly unsettledCap: bigint) {}

  admit({ keyHash, holdId, amount, idempotency }: Admission): AdmissionResult {
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
    const claim = idempotency && this.claims.get(`${wallet}/${idempotency.keyHash}`);
    if (claim) {
      if (claim.fingerprint !== idempotency.fingerprint) return { outcome: 'mismatch' };
      const standing = this.holdOf(wallet, claim.holdId);
      return {
        outcome: claim.completed ? 'completed' : 'running',
        ...{ wallet, keyId, holdId: claim.holdId, amount: standing?.amount ?? 0n },
      };
    }
    const [limitedBy, spendable] = this.tightest(state, key);
    if (amount > spendable) {
      return {
        ...{ outcome: 'insufficient', wallet, keyId, limitedBy },
        held: limitedBy === 'key' ? key.held : state.held,
        spendable: atLeastZero(spendable),
      };
    }
    state.held += amount;
    key.held += amount;
    this.move('payer', 'held', amount);
    const hold: HoldState = { wallet, keyId, amount, state: 'open', charged: 0n, lapsed: false };
    this.holds.set(`${wallet}/${holdId}`, hold);
    if (idempotency) {
      const { keyHash: claimed, fingerprint } = idempotency;
      this.claims.set(`${wallet}/${claimed}`, { fingerprint, holdId, keyHash: claimed, completed: false });
    }
    return { outcome: 'held', wallet, keyId, amount };
  }

  resolve(resolution: Resolution): ResolutionResult {
    const hold = this.holdOf(resolution.wallet, resolution.holdId);
    if (!hold) return { state: 'unknown', charged: 0n };
    if (resolution.type === 'post') return this.post(hold, resolution);
    if (resolution.type === 'abandon' && hold.state === 'posted' && hold.charged > 0n)
      this.giveBack(hold, resolution);
    if (hold.state === 'open') {
      if (resolution.type === 'expire' && !hold.lapsed) return { state: 'open', charged: 0n };
      this.free(hold);
      this.unclaim(resolution);
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

  /** The chain shows that so much was collected from the wallet, ever. */
  settle(wallet: string, settledHead: bigint, settledSafe: bigint): void {
    const state = this.walletOf(wallet);
    this.move('settled', 'payer', settledSafe - state.settledSafe);
    Object.assign(state, { settledHead, settledSafe });
  }

  credit(wallet: string, amount: bigint): void {
    this.walletOf(wallet).credited += amount;
    this.move('platform_loss', 'payer', amount);
  }

  /** As an operator does it. */
  refund(request: { wallet: string; holdId: string }): 'refunded' | 'repeated' | 'uncharged' | 'unknown' {
    const hold = this.holdOf(request.wallet, request.holdId);
    if (!hold) return 'unknown';
    if (hold.state === 'refunded') return 'repeated';
    if (hold.state !== 'posted' || hold.charged === 0n) return 'uncharged';
    this.giveBack(hold, request);
    return 'refunded';
  }

  private tightest(wallet: WalletState, key: KeyState): [limitedBy: QuotaLimit, spendable: bigint] {
    const unsettled = atLeastZero(wallet.posted - wallet.credited - wallet.settledSafe);
    const limits: [QuotaLimit, bigint][] = [
      ['wallet', headroomOf(wallet)],
      ['unsettled', this.unsettledCap - unsettled - wallet.held],
    ];
    if (key.cap !== null) limits.push(['key', key.cap - key.held - (key.stale ? 0n : key.spent)]);
    return limits.reduce((least, limit) => (limit[1] < least[1] ? limit : least));
  }

  private post(hold: HoldState, { charge, holdId }: { charge: Charge; holdId: string }): ResolutionResult {
    const { cost, providerShare } = charge;
    if (hold.state !== 'open' && hold.state !== 'voided' && hold.state !== 'expired') {
      return { state: hold.state, charged: hold.charged };
    }
    if (cost > hold.amount) return { state: 'above_hold', charged: 0n };
    const inTime = hold.state === 'open';
    if (inTime) {
      this.free(hold);
      this.walletOf(hold.wallet).posted += cost;
      const key = this.keyOf(hold);
      if (cost > 0n) {
        if (key.stale) Object.assign(key, { stale: false, spent: 0n, period: key.period + 1 });
        key.spent += cost;
        hold.period = key.period;
      }
      for (const claim of this.claimsOf({ wallet: hold.wallet, holdId })) claim[1].completed = true;
      hold.charged = cost;
    }
    hold.state = inTime ? 'posted' : 'late';
    const payer = inTime ? 'payer' : 'platform_loss';
    this.move(payer, 'provider', providerShare);
    this.move(payer, 'platform_fee', cost - providerShare);
    return { state: hold.state, charged: hold.charged };
  }

  private giveBack(hold: HoldState, request: { wallet: string; holdId: string }): void {
    const key = this.keyOf(hold);
    if (hold.period === key.period) key.spent = atLeastZero(key.spent - hold.charged);
    this.unclaim(request);
    this.credit(hold.wallet, hold.charged);
    hold.charged = 0n;
    hold.state = 'refunded';
  }

  private free(hold: HoldState): void {
    this.walletOf(hold.wallet).held -= hold.amount;
    this.keyOf(hold).held -= hold.amount;
    this.move('held', 'payer', hold.amount);
  }

  private move(debit: AccountName, credit: AccountName, amount: bigint): void {
    this.accounts[debit] += amount;
    this.accounts[credit] -= amount;
  }

  private unclaim(hold: { wallet: string; holdId: string }): void {
    for (const [id] of this.claimsOf(hold)) this.claims.delete(id);
  }

  private claimsOf({ wallet, holdId }: { wallet: string; holdId: string }): [string, ClaimState][] {
    return [...this.claims].filter(([id, claim]) => id.startsWith(`${wallet}/`) && claim.holdId === holdId);
  }

  private keyOf({ keyId, wallet }: HoldState): KeyState {
    const key = [...this.keys.values()].find(
      (candidate) => candidate.keyId === keyId && candidate.wallet === wallet,
    );
    if (!key) throw new Error(`the model has no key ${keyId}`);
    return key;
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
  return (head < safe ? head : safe) - (state.posted - state.credited) - state.held;
}

function atLeastZero(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

import { isAged } from '../../database/age';
import { failpoint } from '../../failpoint';
import { outcomeOf } from './broadcast-outcome';
import type { BroadcastOutcome } from './broadcast-outcome';
import type { ChainGateway } from './chain-gateway';
import { bumpedFees, isWellBelow } from './fees';
import type { Fees } from './fees';
import type { Signed, SignerAccount } from './signer-account';
import type { StoredTransaction, TransactionStore } from './transaction.store';

/** Why nothing new can be signed now. */
type Hindrance = 'insufficient_gas' | 'fee_above_cap';

/** What became of one look at a job: as broadcasting goes, `waiting` when it is on its way, or a hindrance. */
export type SendState = BroadcastOutcome | 'waiting' | Hindrance;

/** Thrown when nothing is signed, and why. */
export class HinderedError extends Error {
  override readonly name = 'HinderedError';

  constructor(readonly hindrance: Hindrance) {
    super(`nothing can be signed: ${hindrance}`);
  }
}

/** One thing to be done by a transaction, however many it takes. */
export interface Job {
  readonly id: string;
  /** The call. */
  readonly data: string;
  /** A floor for the gas limit: what the call may take although it takes less now. */
  readonly leastGas: bigint;
  /** Whether the newest block shows it as done. */
  readonly landed: () => Promise<boolean>;
}

interface SenderOptions {
  /** The most paid for a unit of gas, wei. */
  readonly feeCap: bigint;
  /** Age at which a transaction that no block has is replaced. */
  readonly bumpMs: number;
}

const GAS_MARGIN_PERCENT = 130n;
/** How often the same bytes are sent again before they are replaced: servers forget. */
const RESENDS_PER_BUMP = 15;
/** How often a transaction that servers find too cheap may be replaced in that time: prices do not rise at each look. */
const RAISES_PER_BUMP = 4;
/** A gap below our nonce seen this often in a row is real, and not a server that lags. */
const GAP_BELIEVED_AFTER = 5;

/** What this process last handed to a server for a nonce, when, and what came of it. */
interface Attempt {
  readonly hash: string;
  readonly atMs: number;
  readonly outcome: BroadcastOutcome;
}

/** Signs, stores, sends; sends again, pays more, signs anew: until a job is done. For one account, in one process. */
export class JobSender {
  /** By nonce. */
  private readonly attempts = new Map<number, Attempt>();
  private gapSeen = 0;

  constructor(
    readonly account: SignerAccount,
    private readonly chain: ChainGateway,
    private readonly store: TransactionStore,
    private readonly options: SenderOptions,
  ) {}

  /**
   * Signs the first transaction of a job. The caller stores it with whatever it belongs to, and then calls {@link push}.
   * @throws HinderedError, RefusedError; ethers' errors when the chain does not answer
   */
  async sign(job: Pick<Job, 'data' | 'leastGas'>): Promise<Signed> {
    return this.signWith(job, await this.chain.nonce(this.account.address));
  }

  /**
   * Sends what is stored, for the first time or again, and does what it takes when that does not get anywhere.
   * @param others the account's latest transaction of every other job that is not done
   */
  async push(job: Job, others: readonly StoredTransaction[] = []): Promise<SendState> {
    const latest = await this.store.latest(job.id, this.account.address);
    // The nonce first: what used it up shows in whatever is read later.
    const next = await this.chain.nonce(this.account.address);
    for (const nonce of this.attempts.keys()) if (nonce < next) this.attempts.delete(nonce);
    if (latest && next === latest.nonce) {
      this.gapSeen = 0;
      return this.move(job, latest);
    }
    if (latest && next < latest.nonce) return this.mindGap(job, latest, next, others);
    if (await job.landed()) return 'waiting';
    // Both would be mined, and the second for nothing.
    if (!latest && (await this.isAnothers(job))) return 'waiting';
    return this.resign(job, Math.max(next, ...others.map(({ nonce }) => nonce + 1)));
  }

  /** Whether another signer, whose lease stands, sees to it: it has signed no longer ago than until it would sign again. */
  private isAnothers({ id }: Job): Promise<boolean> {
    return this.store.isAnothers(id, this.account.address, this.options.bumpMs);
  }

  private async move(job: Job, latest: StoredTransaction): Promise<SendState> {
    const { bumpMs } = this.options;
    const found = this.attemptOf(latest)?.outcome;
    // An earlier process sent it, if anybody: a server may have refused it, and is asked before it is raised.
    if (found === undefined) return this.sendAgain(latest);
    if (found === 'insufficient_gas' || found === 'fee_above_cap') return this.lower(job, latest, found);
    const oldMs = found === 'underpriced' ? bumpMs / RAISES_PER_BUMP : bumpMs;
    if (isAged(latest.ageMs, oldMs)) return this.bump(job, latest);
    return this.sendAgain(latest);
  }

  private async bump(job: Job, latest: StoredTransaction): Promise<SendState> {
    const current = await this.chain.fees(this.options.feeCap);
    const fees = bumpedFees(latest.fees, current, this.options.feeCap);
    if (!fees) return this.hindered(latest, 'fee_above_cap');
    // Servers would not take it, and the cheaper one that they have might be forgotten meanwhile.
    if (!(await this.affords(latest.gasLimit, fees))) return this.hindered(latest, 'insufficient_gas');
    return this.replace(job, latest, fees);
  }

  /**
   * The server does not take it, for it might cost more than the signer has or the server lets through: it may cost less by now. What
   * it was to replace may be on its way, unless the server has forgotten it.
   */
  private async lower(job: Job, latest: StoredTransaction, hindrance: Hindrance): Promise<SendState> {
    const current = await this.chain.fees(this.options.feeCap);
    const isWorthIt = current && isWellBelow(current, latest.fees);
    if (isWorthIt && (await this.affords(latest.gasLimit, current)))
      return this.replace(job, latest, current);
    const outcome = await this.sendAgain(latest);
    if (outcome === 'fee_above_cap') await this.sendCheaper(job, latest);
    return outcome === 'waiting' ? hindrance : outcome;
  }

  /** Of what was signed with its nonce for less, the dearest that the server takes. */
  private async sendCheaper({ id }: Job, { signer, nonce, fees }: StoredTransaction): Promise<void> {
    const cheaper = (await this.store.of(id))
      .filter((each) => each.signer === signer && each.nonce === nonce)
      .filter((each) => each.fees.maxFeePerGas < fees.maxFeePerGas);
    for (const { hash, raw } of cheaper.reverse()) {
      await this.store.markBroadcast(hash);
      if ((await this.chain.send(raw).then(() => 'sent', outcomeOf)) !== 'fee_above_cap') return;
    }
  }

  /** It cannot be raised: it stays as it is. */
  private async hindered(latest: StoredTransaction, hindrance: Hindrance): Promise<SendState> {
    const outcome = await this.sendAgain(latest);
    return outcome === 'waiting' || outcome === 'sent' ? hindrance : outcome;
  }

  private async replace(
    job: Job,
    { nonce, gasLimit: before }: StoredTransaction,
    fees: Fees,
  ): Promise<BroadcastOutcome> {
    // Blocks may have become smaller.
    const gasLimit = within(before, 0n, await this.chain.mostGas());
    const signed = this.account.sign({ to: this.chain.address, data: job.data, nonce, gasLimit, fees });
    await this.store.addAlone(job.id, signed);
    failpoint('settlement.bumped');
    return this.broadcast(signed);
  }

  private async affords(gasLimit: bigint, { maxFeePerGas }: Fees): Promise<boolean> {
    return (await this.chain.balance(this.account.address)) >= gasLimit * maxFeePerGas;
  }

  /** Our nonce cannot come before those below it: another job's go first; if nobody has them, they are ours to use. */
  private async mindGap(
    job: Job,
    latest: StoredTransaction,
    next: number,
    others: readonly StoredTransaction[],
  ): Promise<SendState> {
    if (others.some(({ nonce }) => nonce >= next && nonce < latest.nonce)) return this.sendAgain(latest);
    if (++this.gapSeen < GAP_BELIEVED_AFTER) return this.sendAgain(latest);
    this.gapSeen = 0;
    return this.resign(job, next);
  }

  private async resign(job: Job, nonce: number): Promise<SendState> {
    try {
      const signed = await this.signWith(job, nonce);
      await this.store.addAlone(job.id, signed);
      failpoint('settlement.resigned');
      return await this.broadcast(signed);
    } catch (error) {
      if (error instanceof HinderedError) return error.hindrance;
      throw error;
    }
  }

  private async signWith({ data, leastGas }: Pick<Job, 'data' | 'leastGas'>, nonce: number): Promise<Signed> {
    const { address } = this.account;
    const [estimate, most, fees, balance] = await Promise.all([
      this.chain.estimateGas(address, data),
      this.chain.mostGas(),
      this.chain.fees(this.options.feeCap),
      this.chain.balance(address),
    ]);
    if (!fees) throw new HinderedError('fee_above_cap');
    const gasLimit = within((estimate * GAS_MARGIN_PERCENT) / 100n, leastGas, most);
    if (balance < gasLimit * fees.maxFeePerGas) throw new HinderedError('insufficient_gas');
    return this.account.sign({ to: this.chain.address, data, nonce, gasLimit, fees });
  }

  private async sendAgain(latest: StoredTransaction): Promise<SendState> {
    const attempt = this.attemptOf(latest);
    if (attempt && performance.now() < attempt.atMs + this.options.bumpMs / RESENDS_PER_BUMP)
      return 'waiting';
    return this.broadcast(latest);
  }

  private attemptOf({ nonce, hash }: StoredTransaction): Attempt | undefined {
    const attempt = this.attempts.get(nonce);
    return attempt?.hash === hash ? attempt : undefined;
  }

  private async broadcast({
    nonce,
    hash,
    raw,
  }: Pick<Signed, 'nonce' | 'hash' | 'raw'>): Promise<BroadcastOutcome> {
    await this.store.markBroadcast(hash);
    const atMs = performance.now();
    const outcome = await this.chain.send(raw).then(() => 'sent' as const, outcomeOf);
    failpoint('settlement.broadcast');
    this.attempts.set(nonce, { hash, atMs, outcome });
    return outcome;
  }
}

function within(wanted: bigint, least: bigint, most: bigint): bigint {
  const gas = wanted > least ? wanted : least;
  return gas < most ? gas : most;
}

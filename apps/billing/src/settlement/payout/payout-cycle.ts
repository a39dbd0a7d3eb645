import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ChainJobState } from '@svc/contracts';
import { payoutRoot } from '@svc/contracts-evm';
import { BillingConfig } from '../../billing.config';
import { ChainStore } from '../../chain/chain.store';
import { undefinedIfUnreadable } from '../../chain/chain-connection';
import { isAged } from '../../database/age';
import { failpoint } from '../../failpoint';
import { conditionOf } from '../settlement-state';
import type { Condition } from '../settlement-state';
import { ChainGateway } from '../signer/chain-gateway';
import type { Job, JobSender, SendState } from '../signer/job-sender';
import { TransactionStore } from '../signer/transaction.store';
import { PayoutStore } from './payout.store';
import type { Payout } from './payout.store';

/** What a publication takes, with room to spare. */
const PUBLISH_GAS = 120_000n;
/** How long until it is looked again for what payers have paid, when there was nothing new: that reads all wallets. */
const LOOK_AGAIN_MS = 60_000;

/** One look at what providers have earned: the newest root is seen through, then the next one is made when it is time. */
@Injectable()
export class PayoutCycle {
  private notBeforeMs = 0;
  /** What the last attempt at a root came to: it stands until the next one may be made. */
  private atRest: Condition = { state: 'idle' };
  /** What the last look at the chain's root, where ours is settled, came to, and for how long that stands. */
  private seen = { root: '', untilMs: 0, condition: { state: 'idle' } as Condition };

  constructor(
    private readonly config: BillingConfig,
    private readonly positions: ChainStore,
    private readonly chain: ChainGateway,
    private readonly transactions: TransactionStore,
    private readonly store: PayoutStore,
  ) {}

  /** @throws HinderedError, RefusedError, LeaseLostError, SettlementPausedError; the chain's errors */
  async advance(payer: JobSender): Promise<Condition> {
    const newest = await this.store.newest();
    if (newest && newest.state !== 'settled') {
      if ((await this.observe(newest)) !== 'absent') return { state: 'in_flight' };
      return sent(await payer.push(await this.jobOf(newest)));
    }
    if (newest && !isAged(newest.ageMs, this.config.payoutIntervalMs)) return this.watch(newest);
    if (performance.now() < this.notBeforeMs) return this.atRest;
    this.notBeforeMs = performance.now() + Math.min(LOOK_AGAIN_MS, this.config.payoutIntervalMs);
    try {
      this.atRest = await this.begin(payer, newest);
      return this.atRest;
    } catch (error) {
      this.atRest = conditionOf(error);
      throw error;
    }
  }

  /**
   * Whether the chain still has the root that it had, though no other is due: where it has not, somebody else publishes, with a stolen key or
   * a role of their own, and money is claimed by what we know nothing of. At the safe depth, so that no server that lags is taken for that.
   */
  private async watch({ root, settledBlock = 0 }: Payout): Promise<Condition> {
    if (this.seen.root === root && performance.now() < this.seen.untilMs) return this.seen.condition;
    const safe = (await this.positions.position())?.safe;
    // With more confirmations than before the safe block may lie below ours, where the chain has the root before it.
    const isBelow = safe !== undefined && safe.number < settledBlock;
    const onChain =
      safe?.hash === undefined || isBelow
        ? undefined
        : await this.chain.payoutRoot(safe.hash).catch(undefinedIfUnreadable);
    const condition: Condition =
      onChain === undefined || onChain === root
        ? { state: 'idle' }
        : { state: 'conflict', detail: 'the chain has a payout root that is not ours' };
    this.seen = { root, untilMs: performance.now() + LOOK_AGAIN_MS, condition };
    return condition;
  }

  private async begin(payer: JobSender, last: Payout | undefined): Promise<Condition> {
    await this.store.release();
    const earnings = await this.store.earnings();
    if (earnings.length === 0) return { state: 'idle' };
    const root = payoutRoot(earnings);
    // With another root on the chain, whoever published it, nobody could claim until there is more to publish.
    if (root === last?.root && (await this.chain.payoutRoot('latest')) === root) return { state: 'idle' };
    const payoutId = `0x${randomBytes(32).toString('hex')}`;
    const job = await this.jobOf({ payoutId, root });
    await this.store.add(payoutId, root, earnings, await payer.sign(job));
    failpoint('payout.stored');
    return sent(await payer.push(job));
  }

  private async observe({
    payoutId,
    root,
    state,
  }: Payout): Promise<'absent' | Exclude<ChainJobState, 'signed'>> {
    if ((await this.chain.payoutRoot('latest')) !== root) {
      if (state === 'mined') await this.store.setOpen(payoutId, 'signed');
      return 'absent';
    }
    if (state === 'signed') await this.store.setOpen(payoutId, 'mined');
    const safeHash = (await this.positions.position())?.safe.hash;
    if (safeHash === undefined) return 'mined';
    if ((await this.chain.payoutRoot(safeHash).catch(undefinedIfUnreadable)) !== root) return 'mined';
    const signed = await this.transactions.of(payoutId);
    for (const { hash: txHash } of signed) {
      const gasCost = await this.chain.costOf(txHash);
      if (gasCost !== undefined) await this.store.settled(payoutId, safeHash, { txHash, gasCost });
    }
    // Where the server does not tell what they cost, it does not tell either which of several it was.
    const txHash = signed.length === 1 ? signed[0]?.hash : undefined;
    await this.store.settled(payoutId, safeHash, { txHash });
    return 'settled';
  }

  private async jobOf({ payoutId, root }: Pick<Payout, 'payoutId' | 'root'>): Promise<Job> {
    const contract = await this.chain.contract();
    return {
      id: payoutId,
      data: contract.interface.encodeFunctionData('publishPayoutRoot', [root]),
      leastGas: PUBLISH_GAS,
      landed: async () => (await this.chain.payoutRoot('latest')) === root,
    };
  }
}

function sent(state: SendState): Condition {
  return { state: state === 'waiting' || state === 'sent' ? 'in_flight' : state };
}

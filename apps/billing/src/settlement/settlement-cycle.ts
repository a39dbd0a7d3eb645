import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { failpoint } from '../failpoint';
import { onChain } from './batch';
import { BatchPlanner } from './batch-planner.service';
import { BatchStore } from './batch.store';
import type { OpenBatch } from './batch.store';
import { BatchTracker } from './batch-tracker';
import { conditionOf } from './settlement-state';
import { urgentFrom } from '../urgent-from';
import type { Condition, CycleState } from './settlement-state';
import type { ChainGateway } from './signer/chain-gateway';
import type { Job, JobSender, SendState } from './signer/job-sender';
import type { StoredTransaction, TransactionStore } from './signer/transaction.store';

/** What one process signs with. */
export interface Settler {
  readonly sender: JobSender;
  readonly chain: ChainGateway;
  readonly transactions: TransactionStore;
}

/** Batches that the safe depth does not show; those of them that the head does not show either. */
interface OpenBatches {
  readonly open: readonly OpenBatch[];
  readonly absent: readonly OpenBatch[];
  /** The chain has other dues under the id of one. */
  readonly isConflict: boolean;
}

/** Gas that a batch takes besides its dues, and that a due takes at most: 250 of them stay below what is allowed. */
const BATCH_GAS = 300_000n;
const DUE_GAS = 65_000n;
/** How often wallets are looked through for one that owes half of what it may. */
const URGENCY_CHECK_MS = 2_000;
/** Looking takes at most one part in this many of the time, however many wallets there are. */
const URGENCY_CHECK_SHARE = 20;
/** After there was no batch to be made, or something was in the way; then twice as long each time, up to a minute. */
const RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60_000;

/** One look at what there is to settle, by whoever holds the signer's lease: one batch in flight at a time. */
@Injectable()
export class SettlementCycle {
  private readonly startedAtMs = performance.now();
  private nextUrgencyCheckMs = 0;
  private notBeforeMs = 0;
  /** What the last attempt at a batch came to: it stands until the next one may be made. */
  private atRest: Condition = { state: 'idle' };
  /** How many attempts in a row something was in the way of. */
  private hindered = 0;
  /** The last batch left somebody out. */
  private more = false;
  /** The token was, at the last look. */
  private isStopped = false;

  constructor(
    private readonly config: BillingConfig,
    private readonly planner: BatchPlanner,
    private readonly batches: BatchStore,
    private readonly tracker: BatchTracker,
  ) {}

  /** Writes down what the chain shows of open batches. */
  async observe(): Promise<OpenBatches> {
    const [open, absent]: [OpenBatch[], OpenBatch[]] = [[], []];
    let isConflict = false;
    for (const batch of await this.batches.open()) {
      const sighting = await this.tracker.observe(batch);
      if (sighting === 'settled') continue;
      open.push(batch);
      if (sighting === 'absent') absent.push(batch);
      isConflict ||= sighting === 'conflict';
    }
    return { open, absent, isConflict };
  }

  /** Sends what is not on the chain, or makes the next batch if it is time. @throws RefusedError, HinderedError and the chain's errors */
  async advance(settler: Settler, { open, absent, isConflict }: OpenBatches): Promise<Condition> {
    if (isConflict) return { state: 'conflict' };
    if (absent.length > 0) return { state: await this.pushAll(settler, absent) };
    if (open.length > 0) return { state: 'in_flight' };
    if (performance.now() < this.notBeforeMs) return this.atRest;
    if (!(await this.isTime())) return { state: 'idle' };
    return this.attempt(settler);
  }

  private async attempt(settler: Settler): Promise<Condition> {
    const made = await this.make(settler).catch((error: unknown) => {
      this.rest(conditionOf(error));
      throw error;
    });
    if (typeof made === 'string') return this.rest({ state: made });
    this.hindered = 0;
    return { state: await this.pushAll(settler, [made]) };
  }

  /** Counted from the attempt's end: a batch takes time to plan, which the database needs for requests meanwhile. */
  private rest(condition: Condition): Condition {
    this.hindered = condition.state === 'idle' ? 0 : this.hindered + 1;
    const retryMs = Math.min(RETRY_MS * 2 ** Math.max(0, this.hindered - 1), LONGEST_RETRY_MS);
    this.notBeforeMs = performance.now() + Math.min(retryMs, this.config.settlementIntervalMs);
    this.atRest = condition;
    return condition;
  }

  private async pushAll(settler: Settler, absent: readonly OpenBatch[]): Promise<CycleState> {
    const { sender, transactions } = settler;
    const latest = new Map<string, StoredTransaction>();
    for (const { batchId } of absent) {
      const transaction = await transactions.latest(batchId, sender.account.address);
      if (transaction) latest.set(batchId, transaction);
    }
    let state: SendState = 'waiting';
    const inTurn = [...absent].sort(
      (one, other) => (latest.get(one.batchId)?.nonce ?? 0) - (latest.get(other.batchId)?.nonce ?? 0),
    );
    for (const batch of inTurn) {
      const others = [...latest].filter(([id]) => id !== batch.batchId).map(([, transaction]) => transaction);
      const reached = await sender.push(await this.jobOf(settler, batch), others);
      if (state === 'waiting' || state === 'sent') state = reached;
    }
    return state === 'waiting' || state === 'sent' ? 'in_flight' : state;
  }

  private async jobOf({ chain }: Settler, batch: OpenBatch): Promise<Job> {
    const dues = await this.batches.dues(batch.batchId);
    const contract = await chain.contract();
    return {
      id: batch.batchId,
      data: contract.interface.encodeFunctionData('settle', [batch.batchId, dues]),
      leastGas: gasFor(dues.length),
      landed: () => this.tracker.hasLanded(batch),
    };
  }

  private async isTime(): Promise<boolean> {
    const now = performance.now();
    if (this.more) return true;
    const age = (await this.batches.lastAgeMs()) ?? now - this.startedAtMs;
    if (age >= this.config.settlementIntervalMs) return true;
    if (now < this.nextUrgencyCheckMs) return false;
    const isUrgent = await this.batches.anyoneOwes(urgentFrom(this.config));
    const tookMs = performance.now() - now;
    this.nextUrgencyCheckMs = now + Math.max(URGENCY_CHECK_MS, tookMs * URGENCY_CHECK_SHARE);
    return isUrgent;
  }

  /** @returns the batch, stored with its transaction; or why there is none */
  private async make(settler: Settler): Promise<OpenBatch | 'idle' | 'token_stopped'> {
    // Asked before planning once it was so: a batch takes time to plan, and stopped tokens stay so for hours.
    if (this.isStopped && (await this.lookAtToken(settler))) return 'token_stopped';
    const batch = await this.planner.plan();
    this.more = batch?.more ?? false;
    if (!batch) return 'idle';
    if (await this.lookAtToken(settler)) return 'token_stopped';
    const contract = await settler.chain.contract();
    const data = contract.interface.encodeFunctionData('settle', [batch.batchId, batch.dues.map(onChain)]);
    const leastGas = gasFor(batch.dues.length);
    await this.batches.add(batch, await settler.sender.sign({ data, leastGas }));
    failpoint('settlement.stored');
    return { ...batch, state: 'signed', ageMs: 0 };
  }

  private async lookAtToken({ chain }: Settler): Promise<boolean> {
    this.isStopped = (await chain.isTokenStopped('latest')) ?? false;
    return this.isStopped;
  }
}

function gasFor(dues: number): bigint {
  return BATCH_GAS + DUE_GAS * BigInt(dues);
}

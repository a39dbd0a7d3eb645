import { setTimeout as delay } from 'node:timers/promises';
import { billingContracts } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import type { RpcClient } from '@svc/messaging';

const PATIENCE_MS = 800;
/** Longer than any outage, also on a machine that is slow to end it. */
const GIVE_UP_MS = 90_000;
const ACT = { reason: 'faults', actor: 'spec' };

/** Gives money back and away, and sets limits; repeats what was not answered, under the same id. */
export class Operator {
  /** What was given for certain, base units by wallet. */
  readonly given = new Map<string, bigint>();

  constructor(
    private readonly internal: RpcClient,
    private readonly setup: RpcClient,
  ) {}

  /** @returns whether the request's charge was given back; not, when there was none */
  refund(wallet: string, holdId: string): Promise<boolean> {
    const request = { wallet, holdId, ...ACT };
    const options = { timeoutMs: PATIENCE_MS };
    return insist(() => this.internal.call(billingContracts.refundRequest, request, options));
  }

  async credit(wallet: string, creditId: string, amount: bigint): Promise<void> {
    const request = { wallet, creditId, amount: String(amount), reason: 'faults', actor: 'spec' };
    const options = { timeoutMs: PATIENCE_MS };
    const given = await insist(() => this.internal.call(billingContracts.creditWallet, request, options));
    if (given) this.given.set(wallet, (this.given.get(wallet) ?? 0n) + amount);
  }

  /** Refused when it is below what is spent and held. */
  limit(wallet: string, keyId: string, budgetCap: bigint | undefined): Promise<boolean> {
    const change = budgetCap === undefined ? { removeBudget: true } : { budgetCap: String(budgetCap) };
    const options = { timeoutMs: PATIENCE_MS };
    return insist(() => this.setup.call(billingContracts.updateKey, { wallet, keyId, ...change }, options));
  }

  suspend(wallet: string): Promise<boolean> {
    const options = { timeoutMs: PATIENCE_MS };
    return insist(() => this.setup.call(billingContracts.suspendWallet, { wallet, ...ACT }, options));
  }

  reinstate(wallet: string): Promise<boolean> {
    const options = { timeoutMs: PATIENCE_MS };
    return insist(() => this.setup.call(billingContracts.reinstateWallet, { wallet, ...ACT }, options));
  }
}

/** @returns whether it was done; not, when it was refused */
async function insist(call: () => Promise<unknown>): Promise<boolean> {
  const untilMs = performance.now() + GIVE_UP_MS;
  for (;;) {
    try {
      await call();
      return true;
    } catch (error) {
      if (SvcError.is(error) && error.status < 500) return false;
      if (performance.now() > untilMs) throw error;
    }
    await delay(50);
  }
}

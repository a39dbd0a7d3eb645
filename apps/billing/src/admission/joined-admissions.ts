import type { Admission, AdmissionResult } from '../ledger/operation';

type Decide = (admission: Admission, deadlineMs?: number) => Promise<AdmissionResult>;

interface UnderWay {
  holdId: string;
  decided: Promise<AdmissionResult>;
}

/**
 * The same request under the same idempotency key, sent many times at once, is decided once: one batch may name a key only
 * once, so that each of them would need a batch of its own.
 */
export class JoinedAdmissions {
  private readonly underWay = new Map<string, UnderWay>();

  constructor(private readonly decide: Decide) {}

  /** As `LedgerService.admit`. */
  async admit(admission: Admission, deadlineMs?: number): Promise<AdmissionResult> {
    const { idempotency, keyHash, holdId } = admission;
    if (!idempotency) return this.decide(admission, deadlineMs);
    const name = `${keyHash} ${idempotency.keyHash} ${idempotency.fingerprint}`;
    const first = this.underWay.get(name);
    if (!first || first.holdId === holdId) {
      const decided = this.decide(admission, deadlineMs).finally(() => this.underWay.delete(name));
      this.underWay.set(name, { holdId, decided });
      return decided;
    }
    const result = await first.decided;
    if (result.outcome === 'held') return { ...result, outcome: 'running', holdId: first.holdId };
    const saidOfAnotherId = result.outcome === 'different' || result.outcome === 'resolved';
    return saidOfAnotherId ? this.decide(admission, deadlineMs) : result;
  }
}

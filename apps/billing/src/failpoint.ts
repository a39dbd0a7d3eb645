import { armedFailpoint } from './failpoint.config';

/**
 * The places between two effects at which a test may let the process die, as a power cut would. What each is named after
 * has just happened.
 */
export const FAILPOINTS = [
  'ledger.sent',
  'ledger.committed',
  'queue.applied',
  'sweeper.found',
  'sweeper.expired',
  'chain.recorded',
  'settlement.projected',
  'settlement.leased',
  'settlement.stored',
  'settlement.broadcast',
  'settlement.bumped',
  'settlement.resigned',
  'settlement.settled',
  'settlement.judged',
  'payout.stored',
  'payout.booked',
  'reconciliation.paused',
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];

const [armed, passes = '1'] = armedFailpoint()?.split('@') ?? [];
let left = Number(passes);

/**
 * Dies at once, without a goodbye, when the process was started with SVC_FAILPOINT=`name`; with `name@n`, when it comes by
 * for the nth time. Otherwise nothing.
 */
export function failpoint(name: Failpoint): void {
  if (armed === name && --left <= 0) process.kill(process.pid, 'SIGKILL');
}

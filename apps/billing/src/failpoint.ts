import { armedFailpoint } from './failpoint.config';

/**
 * The places between two effects at which a test may let the process die, as a power cut would. What each is named after
 * has just happened.
 */
export type Failpoint =
  | 'chain.recorded'
  | 'settlement.projected'
  | 'settlement.leased'
  | 'settlement.stored'
  | 'settlement.broadcast'
  | 'settlement.bumped'
  | 'settlement.resigned'
  | 'settlement.settled'
  | 'settlement.judged'
  | 'payout.stored'
  | 'payout.booked'
  | 'reconciliation.paused';

const armed = armedFailpoint();

/** Dies at once, without a goodbye, when the process was started with SVC_FAILPOINT=`name`. Otherwise nothing. */
export function failpoint(name: Failpoint): void {
  if (armed === name) process.kill(process.pid, 'SIGKILL');
}

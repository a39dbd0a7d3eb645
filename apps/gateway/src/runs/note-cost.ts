import type { RequestRecord } from '../http/request-record';

const MARK = '"cost_usdc":"';
/** The `svc` object stands at the end of a reply. */
const TAIL_BYTES = 1_024;

/** Notes for the log what a reply says it cost, without parsing it. */
export function noteCost(record: RequestRecord, payload: Buffer): void {
  const tail = payload.toString('latin1', Math.max(0, payload.length - TAIL_BYTES));
  const at = tail.lastIndexOf(MARK);
  if (at === -1) return;
  const cost = /^\d{1,20}\.\d{6}(?=")/.exec(tail.slice(at + MARK.length));
  if (cost) record.costUsdc = cost[0];
}

import { isChainError } from '@svc/contracts-evm';
import { databaseAway } from '@svc/persistence';
import { isError } from 'ethers';
import { isMisfit } from '../chain/chain-connection';
import { ChainTablesAwayError } from '../chain/chain-tables-away.error';
import { SettlementPausedError } from './pause.store';
import type { Pause } from './pause.store';
import { HinderedError } from './signer/job-sender';
import type { SendState } from './signer/job-sender';
import { RefusedError } from './signer/chain-gateway';
import { LeaseLostError } from './signer/signer-lease.store';

/** What settlement is doing. */
export type CycleState =
  'idle' | 'in_flight' | 'conflict' | 'token_stopped' | Exclude<SendState, 'waiting' | 'sent'>;

/** What settlement is doing, or why it is not. */
export type SettlementState =
  CycleState | 'off' | 'starting' | 'standby' | 'paused' | 'refused' | 'wrong_chain' | 'failing';

/** A state, and in words what it is about. */
export interface Condition {
  readonly state: SettlementState;
  readonly detail?: string;
}

/** In one line, for health. */
export function wordsOf({ state, detail }: Condition): string {
  return detail ? `${state}: ${detail}` : state;
}

/** Somebody has to do something about these. */
export const ALARMING: ReadonlySet<SettlementState> = new Set<SettlementState>([
  'insufficient_gas',
  'refused',
  'wrong_chain',
  'conflict',
]);

export function pausedBy({ actor }: Pause): Condition {
  return { state: 'paused', detail: `by ${actor}` };
}

/** What an error of a step says about settlement. */
export function conditionOf(error: unknown): Condition {
  if (error instanceof RefusedError) return { state: 'refused', detail: error.reason };
  if (error instanceof HinderedError) return { state: error.hindrance };
  // In the middle of a step, so something is wrong here: who merely waits for the lease says `standby`.
  if (error instanceof LeaseLostError) return { state: 'failing', detail: 'the lease ran out in a step' };
  if (error instanceof SettlementPausedError) return { state: 'paused' };
  if (isChainError(error, 'wrong_chain') || isMisfit(error)) return { state: 'wrong_chain' };
  return { state: 'failing', detail: whatFailed(error) };
}

/** Whatever ethers' errors say of a node: that it is not there, does not answer, or answers something else than it was asked. */
const NODE_ERRORS = [
  'NETWORK_ERROR',
  'TIMEOUT',
  'SERVER_ERROR',
  'UNKNOWN_ERROR',
  'BAD_DATA',
  'CALL_EXCEPTION',
] as const;

function whatFailed(error: unknown): string {
  // A host of several addresses, none of which answered: it may be the one's or the other's.
  if (error instanceof AggregateError) return 'the chain or the database cannot be asked';
  // Ethers passes on what the system says of its socket; where the database's is lost, it is Prisma who says so.
  if (isOfSystem(error) || NODE_ERRORS.some((code) => isError(error, code)))
    return 'the chain cannot be asked';
  if (error instanceof ChainTablesAwayError || databaseAway(error)) return 'the database cannot be asked';
  return 'a step failed, and the log says why';
}

function isOfSystem(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}

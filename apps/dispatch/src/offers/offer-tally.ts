import { createHash } from 'node:crypto';
import { LEAST_BYTES_PER_TOKEN, MOST_WALLET_TAGS } from '@svc/contracts';
import type { OfferHealthReport } from '@svc/contracts';

/** What an attempt's failure says of its offer. */
export interface CountedFailure {
  /** It answered, with what must not be delivered. */
  invalid: boolean;
  /** Whose request it was, where no request can have caused it: it may take the offer off the market. */
  blamedBy?: string;
}

/** What a reply says of its length, and what came. */
export interface CountedClaim {
  wallet: string;
  /** Completion tokens, without those that leave no bytes. */
  tokens: number;
  outputBytes: number;
}

/** What happened at one offer since the last report. */
export class OfferTally {
  succeeded = 0;
  firstTokens = 0;
  firstTokenMsSum = 0;
  /** Of replies that were long enough to tell a speed, what was written and how long that took. */
  tokens = 0;
  writingMs = 0;
  /** Something came of the model. */
  progressed = false;
  private failed = 0;
  private invalid = 0;
  private blamed = 0;
  private blamedInvalid = 0;
  private readonly blamedBy = new Set<string>();
  private claims = 0;
  private claimedTokens = 0;
  private outputBytes = 0;
  private readonly inflatedBy = new Set<string>();

  fail({ invalid, blamedBy }: CountedFailure): void {
    this.failed++;
    if (invalid) this.invalid++;
    if (blamedBy === undefined) return;
    this.blamed++;
    if (invalid) this.blamedInvalid++;
    addTag(this.blamedBy, blamedBy);
  }

  claim({ wallet, tokens, outputBytes }: CountedClaim): void {
    this.claims++;
    this.claimedTokens += tokens;
    this.outputBytes += outputBytes;
    if (tokens * LEAST_BYTES_PER_TOKEN > outputBytes) addTag(this.inflatedBy, wallet);
  }

  report(offerId: string, inFlight: number): OfferHealthReport {
    const { succeeded, failed, invalid, firstTokens, firstTokenMsSum, tokens, writingMs } = this;
    const { blamed, blamedInvalid, claims, claimedTokens, outputBytes, inflatedBy, progressed } = this;
    return {
      offerId,
      succeeded,
      failed,
      invalid,
      inFlight,
      ...(blamed > 0 && { blamed, blamedInvalid, blamedBy: [...this.blamedBy] }),
      ...(claims > 0 && { claims, claimedTokens, outputBytes }),
      ...(inflatedBy.size > 0 && { inflatedBy: [...inflatedBy] }),
      ...(progressed && { progressed }),
      ...(firstTokens > 0 && { firstTokenMs: Math.round(firstTokenMsSum / firstTokens) }),
      ...(tokens > 0 && { tokensPerSecond: speedOf(tokens, writingMs) }),
    };
  }
}

const MAX_TOKENS_PER_SECOND = 1_000_000;
const TAG_CHARS = 12;

/** A reply that comes all at once says no more than that it was fast. */
function speedOf(tokens: number, ms: number): number {
  return Math.min(Math.round((tokens * 1_000) / Math.max(ms, 1)), MAX_TOKENS_PER_SECOND);
}

function addTag(tags: Set<string>, wallet: string): void {
  if (tags.size >= MOST_WALLET_TAGS) return;
  tags.add(createHash('sha256').update(wallet).digest('base64url').slice(0, TAG_CHARS));
}

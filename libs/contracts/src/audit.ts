import { IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { IsPlainText } from './fields';

/** Lists what was done to whom, the newest first; each service keeps a trail of its own. */
export class ListAuditRequest {
  /** Of a wallet, an offer, a model; all without one. */
  @IsOptional()
  @IsString()
  @Length(1, 120)
  @IsPlainText()
  subject?: string;

  /** From before this entry on. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;

  /** Entries a page; 100 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000)
  limit?: number;
}

export interface AuditEntry {
  id: number;
  /** UTC. */
  at: string;
  /** An operator, a provider's wallet, or the service itself for what it decides. */
  actor: string;
  /** E.g. `offer.suspend`, `provider.register`, `wallet.suspend`. */
  action: string;
  subject: string;
  reason: string | null;
}

export interface AuditPage {
  entries: AuditEntry[];
  /** `before` of the next page; null when there is none. */
  next: number | null;
}

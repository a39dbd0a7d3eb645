import { IsId } from '../fields';
import { defineRpc } from '../rpc-contract';
import type { ReasoningField } from './answering.contracts';
import type { ModelCapabilities, ToolContract } from './catalogue.contracts';

/** The rules by which tokens are counted and claims are believed; a report says under which it was made. */
export const METERING_VERSION = 1;

/**
 * - `queued`, `running`: under way
 * - `passed`: the offer may serve what the result says
 * - `refused`: a probe that every offer must pass failed
 * - `abandoned`: the offer was withdrawn or signed anew meanwhile
 */
export type CertificationStatus = 'queued' | 'running' | 'passed' | 'refused' | 'abandoned';

/** `full`: all probes, before an offer goes live; `canary`: a few, to see whether it is still what was certified. */
export type CertificationKind = 'full' | 'canary';

export interface CertificationProgress {
  certificationId: string;
  kind: CertificationKind;
  status: CertificationStatus;
  /** Probes that are over, and all there are. */
  done: number;
  total: number;
  refusal?: ProbeRefusal;
}

/** Why an offer was refused. */
export interface ProbeRefusal {
  probe: string;
  message: string;
}

export type ProbeStatus = 'pending' | 'running' | 'passed' | 'failed' | 'skipped';

/** One request of a probe and what came of it, both cut to some kilobytes; never a credential, nor where the endpoint is. */
export interface ProbeExchange {
  request: string;
  reply: string;
  /** Milliseconds to the first token, and in all. */
  firstTokenMs?: number;
  totalMs: number;
}

export interface ProbeReport {
  name: string;
  /** One that must pass before the offer may serve anything; the others say what it may serve. */
  required: boolean;
  status: ProbeStatus;
  message?: string;
  /** UTC. */
  startedAt?: string;
  finishedAt?: string;
  /** What was measured, by name. */
  figures: Record<string, number>;
  exchanges: ProbeExchange[];
}

/** What an offer is certified for. */
export interface CertifiedScope {
  capabilities: ModelCapabilities;
  /** Null without tools. */
  toolContract: ToolContract | null;
  /** Requests at once that held, at most what the offer says. */
  concurrency: number;
  firstTokenMs: number;
  tokensPerSecond: number;
  /** By which field the server takes back what its model thought; absent where it does not, or shows none. */
  reasoningField?: ReasoningField;
}

/** A report, public; times are UTC. */
export interface CertificationReport {
  id: string;
  kind: CertificationKind;
  status: CertificationStatus;
  offerId: string;
  version: number;
  provider: string;
  model: string;
  bundle: string;
  profile: string;
  meteringVersion: number;
  requestedAt: string;
  startedAt?: string;
  finishedAt?: string;
  /** When it must have been certified anew. */
  validUntil?: string;
  done: number;
  total: number;
  probes: ProbeReport[];
  result?: CertifiedScope;
  refusal?: ProbeRefusal;
}

/** Errors: invalid_request (404). */
export class ShowCertificationRequest {
  @IsId()
  certificationId!: string;
}

export const certificationContracts = {
  showCertification: defineRpc<ShowCertificationRequest, CertificationReport>({
    subject: 'catalog.v1.certification.show',
    queue: 'catalog',
    timeoutMs: 5_000,
    request: ShowCertificationRequest,
  }),
};

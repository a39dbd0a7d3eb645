import type { CertificationReport, CertifiedScope, ProbeExchange, ProbeReport } from '@svc/contracts';
import { capabilitiesCard, toolContractCard } from '../../models/model-card';
import type {
  CertificationReportReply,
  CertifiedScopeReply,
  ProbeExchangeReply,
  ProbeReportReply,
} from './certification-report.dto';

/** A report as everybody may see it: every field is named here, nothing else of the catalogue's gets out. */
export function reportCard(report: CertificationReport): CertificationReportReply {
  const { result, refusal } = report;
  return {
    id: report.id,
    kind: report.kind,
    status: report.status,
    offer_id: report.offerId,
    version: report.version,
    provider: report.provider,
    model: report.model,
    bundle: report.bundle,
    profile: report.profile,
    metering_version: report.meteringVersion,
    requested_at: report.requestedAt,
    started_at: report.startedAt,
    finished_at: report.finishedAt,
    valid_until: report.validUntil,
    done: report.done,
    total: report.total,
    probes: report.probes.map(probeCard),
    ...(result && { result: scopeCard(result) }),
    ...(refusal && { refusal: { probe: refusal.probe, message: refusal.message } }),
  };
}

function probeCard(probe: ProbeReport): ProbeReportReply {
  return {
    name: probe.name,
    required: probe.required,
    status: probe.status,
    message: probe.message,
    started_at: probe.startedAt,
    finished_at: probe.finishedAt,
    figures: probe.figures,
    exchanges: probe.exchanges.map(exchangeCard),
  };
}

function exchangeCard({ request, reply, firstTokenMs, totalMs }: ProbeExchange): ProbeExchangeReply {
  return { request, reply, first_token_ms: firstTokenMs, total_ms: totalMs };
}

function scopeCard(scope: CertifiedScope): CertifiedScopeReply {
  return {
    capabilities: capabilitiesCard(scope.capabilities),
    tool_contract: scope.toolContract && toolContractCard(scope.toolContract),
    concurrency: scope.concurrency,
    first_token_ms: scope.firstTokenMs,
    tokens_per_second: scope.tokensPerSecond,
  };
}

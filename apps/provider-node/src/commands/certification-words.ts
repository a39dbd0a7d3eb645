import type { Outcome } from '../market/follow-certifications';
import type { CertificationReply, ProbeReply } from '../market/market-replies';

/** How one probe ended, or why it is put off, in a line: `✓ streamed`, `✗ usage: says 90 tokens …`. */
export function describeProbe({
  name,
  status,
  required,
  message,
  started_at,
  finished_at,
}: ProbeReply): string {
  if (status === 'pending') return `… ${name} is tried again soon: ${message ?? ''}`;
  if (status === 'skipped') return `- ${name} skipped${message ? `: ${message}` : ''}`;
  if (status === 'failed') return `✗ ${name}${required ? '' : ' (not required)'}: ${message ?? 'failed'}`;
  const tookMs = started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : undefined;
  return `✓ ${name}${tookMs === undefined ? '' : `, ${(tookMs / 1_000).toFixed(1)} s`}`;
}

/** How an offer ended up, in a line or two. */
export function describeOutcome(
  { followed: { name }, result, offer, report }: Outcome,
  url?: string,
): string {
  if (!offer) return `${name}: the market does not know it any more`;
  const seeReport = url === undefined ? '' : `\n  report: ${url}`;
  if (result === 'live') return `${name}: live${certifiedFor(report)}${seeReport}`;
  if (result === 'refused') {
    const refusal = report?.refusal ?? offer.certification?.refusal;
    const [probe, message] = [
      refusal?.probe ?? offer.reason?.code,
      refusal?.message ?? offer.reason?.message,
    ];
    const before = offer.state === 'live' ? ` Version ${offer.live_version} goes on serving.` : '';
    return `${name}: refused by the probe "${probe}": ${message}${before}${seeReport}`;
  }
  const why = offer.reason ? `: ${offer.reason.code}: ${offer.reason.message}` : '';
  return `${name}: ${offer.state}${why}${seeReport}`;
}

function certifiedFor(report: CertificationReply | undefined): string {
  const { result } = report ?? {};
  if (!result) return '';
  const { capabilities, tool_contract: contract, concurrency } = result;
  const features = [
    ...(capabilities.tools && contract ? [`tools (${contract.tool_choice.join(', ')})`] : ['no tools']),
    ...(contract?.parallel_tool_calls ? ['parallel calls'] : []),
    ...(contract?.strict_schemas ? ['strict schemas'] : []),
    ...(contract && contract.max_argument_bytes > 0
      ? [`arguments up to ${contract.max_argument_bytes} bytes`]
      : []),
    ...(capabilities.structuredOutputs ? ['structured outputs'] : []),
    `${concurrency} at once`,
  ];
  return `, certified for ${features.join(', ')}`;
}

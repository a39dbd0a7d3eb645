import type { ProviderStatus } from '@svc/contracts';

interface SuspensionRow {
  suspendedAt: Date | null;
  suspensionReason: string | null;
}

/** A provider's suspension as others are told of it; null while it may act. */
export function suspensionOf({
  suspendedAt,
  suspensionReason: reason,
}: SuspensionRow): ProviderStatus['suspension'] {
  return suspendedAt && reason !== null ? { at: suspendedAt.toISOString(), reason } : null;
}

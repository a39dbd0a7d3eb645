import { launchStack } from './launch';
import type { LaunchedStack } from './launch';

declare global {
  var svcStack: LaunchedStack | undefined;
}

/** Starts one marketplace for all end-to-end specs. */
export default async function globalSetup(): Promise<void> {
  // Leases short enough that a fault test sees abandoned holds expire.
  globalThis.svcStack = await launchStack('.local/e2e', { environment: { HOLD_LEASE_MS: '15000' } });
  process.env.SVC_E2E_READY = globalThis.svcStack.readyFile;
}

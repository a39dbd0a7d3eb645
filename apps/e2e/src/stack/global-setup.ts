import { QUEUE_PATIENCE_MS, launchStack } from './launch';
import type { LaunchedStack } from './launch';

declare global {
  var svcStack: LaunchedStack | undefined;
}

/** Starts one marketplace for all end-to-end specs, unless `SVC_E2E_READY` names the `ready.json` of one that runs. */
export default async function globalSetup(): Promise<void> {
  if (process.env.SVC_E2E_READY) return;
  globalThis.svcStack = await launchStack('.local/e2e', {
    environment: {
      // Short enough that a fault test sees abandoned holds expire.
      HOLD_LEASE_MS: '15000',
      // Specs bring many offers, of servers that have nothing to compute.
      CERTIFICATION_CONCURRENCY: '8',
      CERTIFICATION_MAX_ARGUMENT_BYTES: '2048',
      CERTIFICATION_RETRY_MS: '500',
      // Where nobody is to be refused, a place is waited for also while the one who has it stands still.
      QUEUE_PATIENCE_MS,
    },
  });
  process.env.SVC_E2E_READY = globalThis.svcStack.readyFile;
}

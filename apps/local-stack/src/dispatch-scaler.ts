import { pause } from '@svc/local-servers';
import { ReplicaLoads } from './replica-loads';
import { ReplicaScaling } from './replica-scaling';
import type { ReplicaRange } from './replica-scaling';

const LOOK_MS = 2_000;

/** What the scaler works on: the stack's processes of dispatch. */
interface DispatchReplicas {
  /** Where they listen. */
  urls(): Promise<string[]>;
  /** Starts one more. */
  add(): Promise<void>;
  /** Stops the youngest: it finishes what it has under way. */
  remove(): Promise<void>;
}

/** Starts and stops processes of dispatch by what there is to do, until the signal is aborted. */
export async function scaleDispatch(
  replicas: DispatchReplicas,
  range: ReplicaRange,
  signal: AbortSignal,
): Promise<void> {
  const loads = new ReplicaLoads();
  const scaling = new ReplicaScaling(range);
  while (!signal.aborted) {
    await pause(LOOK_MS, signal);
    const read = signal.aborted ? undefined : await loads.read(await replicas.urls());
    const change = read ? scaling.next(read) : 0;
    if (signal.aborted || change === 0) continue;
    // A process that does not come up is tried again when it is still needed.
    await (change > 0 ? replicas.add() : replicas.remove()).catch(() => undefined);
  }
}

import { Injectable } from '@nestjs/common';
import { TransientMap } from '@svc/collections';
import { DispatchMetrics } from '../dispatch.metrics';
import type { AnyRun } from '../live-run/run';
import { RunRegistry } from './run-registry.service';

/** What the requests of all runs under way may take together, as they came; what is made of one takes some times as much while it runs. */
const MAX_HELD_BYTES = 192 * 1024 * 1024;

/**
 * Bounds the memory that clients fill with the requests that they keep open. When it is full, the wallet that has the most gives way: with the
 * request that has just come, if that is its own, else with its largest, and of these one that has shown its client nothing before one that
 * has. Others are served as before.
 */
@Injectable()
export class RunMemory {
  /** In the order in which they came. */
  private readonly runs = new TransientMap<string, AnyRun>();
  private readonly bytesOfWallets = new TransientMap<string, number>();
  private heldBytes = 0;

  constructor(registry: RunRegistry, metrics: DispatchMetrics) {
    registry.onBegun((run) => this.hold(run));
    registry.onOver((run) => {
      this.release(run);
      run.forgetRequest();
    });
    metrics.watchRequestMemory(() => this.heldBytes);
  }

  private hold(run: AnyRun): void {
    this.runs.set(run.id, run);
    this.count(run, run.requestBytes);
    while (this.heldBytes > MAX_HELD_BYTES) {
      const crowdedOut = this.whoGivesWay(run);
      this.release(crowdedOut);
      crowdedOut.stop('crowded_out');
      crowdedOut.forgetTexts();
    }
  }

  private release(run: AnyRun): void {
    if (this.runs.delete(run.id)) this.count(run, -run.requestBytes);
  }

  private count({ request: { hold } }: AnyRun, bytes: number): void {
    this.heldBytes += bytes;
    const ofWallet = (this.bytesOfWallets.get(hold.wallet) ?? 0) + bytes;
    if (ofWallet > 0) this.bytesOfWallets.set(hold.wallet, ofWallet);
    else this.bytesOfWallets.delete(hold.wallet);
  }

  private whoGivesWay(latest: AnyRun): AnyRun {
    const [most] = [...this.bytesOfWallets.entries()].sort(([, a], [, b]) => b - a);
    const itsRuns = [...this.runs.values()].filter(
      ({ request, isEnding }) => request.hold.wallet === most?.[0] && !isEnding,
    );
    if (itsRuns.includes(latest)) return latest;
    // Of equal ones the last to come: work has been done for the others.
    const largestFirst = itsRuns.reverse().sort((a, b) => b.requestBytes - a.requestBytes);
    return largestFirst.find(({ output }) => !output.delivered) ?? largestFirst[0] ?? latest;
  }
}

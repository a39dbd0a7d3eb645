import type { ReplicaLoad } from './replica-scaling';

interface Reading {
  atMs: number;
  cpuSeconds: number;
}

/** Reads from the processes' own metrics how busy they are. */
export class ReplicaLoads {
  private readonly last = new Map<string, Reading>();

  /** @param urls where they listen. @returns undefined unless each of them was read now and before */
  async read(urls: readonly string[]): Promise<ReplicaLoad[] | undefined> {
    const loads = await Promise.all(urls.map((url) => this.readOne(url)));
    for (const url of this.last.keys()) if (!urls.includes(url)) this.last.delete(url);
    return loads.every((load) => load !== undefined) ? loads : undefined;
  }

  private async readOne(url: string): Promise<ReplicaLoad | undefined> {
    const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(1_000) }).then(
      (response) => response.text(),
      () => '',
    );
    const cpuSeconds = valueOf(text, 'process_cpu_seconds_total');
    const runsInFlight = valueOf(text, 'svc_dispatch_runs_in_flight');
    const before = this.last.get(url);
    if (cpuSeconds === undefined || runsInFlight === undefined) return undefined;
    const now = { atMs: performance.now(), cpuSeconds };
    this.last.set(url, now);
    if (!before || before.cpuSeconds > cpuSeconds) return undefined;
    return { cpu: (cpuSeconds - before.cpuSeconds) / ((now.atMs - before.atMs) / 1000), runsInFlight };
  }
}

/** A metric's value in the text that Prometheus reads. */
function valueOf(text: string, name: string): number | undefined {
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

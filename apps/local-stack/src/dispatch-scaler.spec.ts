import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scaleDispatch } from './dispatch-scaler';

describe('scaleDispatch', () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    // A process that uses nine tenths of a core.
    server = createServer((_request, response) => {
      const cpuSeconds = (performance.now() / 1000) * 0.9;
      response.end(
        `process_cpu_seconds_total{service="dispatch"} ${cpuSeconds}\nsvc_dispatch_runs_in_flight{service="dispatch"} 3\n`,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('starts another process beside one that is busy by its own metrics, and ends when told', async () => {
    const abort = new AbortController();
    let added = 0;
    const add = () => {
      added += 1;
      abort.abort();
      // It does not come up: that ends nothing.
      return Promise.reject(new Error('port taken'));
    };
    const replicas = { urls: () => Promise.resolve([url]), add, remove: () => Promise.resolve() };
    await scaleDispatch(replicas, { least: 1, most: 2 }, abort.signal);
    expect(added).toBe(1);
  });
});

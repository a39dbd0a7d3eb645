import {
  CLIENT_STALL_MS,
  MOST_CLIENT_WAITING_MS,
  MOST_RUN_BLOCKED_MS,
  RUN_HEARD_EVERY_MS,
  RUN_SILENCE_MS,
  SUBSCRIBER_PATIENCE_MS,
} from './run-timing';

describe('the timing of runs', () => {
  it('lets two words in a row be lost, each as late as it may come, before a gateway gives a run up', () => {
    // Where something was sent right after a sweep, the next word comes with the second one after it.
    const latestWordMs = 2 * RUN_HEARD_EVERY_MS;
    expect(RUN_SILENCE_MS).toBeGreaterThan(latestWordMs + 2 * RUN_HEARD_EVERY_MS);
  });

  it('has gateways cut a client off before dispatch stops its run, or forgets who follows one', () => {
    expect(MOST_RUN_BLOCKED_MS).toBeGreaterThan(MOST_CLIENT_WAITING_MS + CLIENT_STALL_MS);
    expect(SUBSCRIBER_PATIENCE_MS).toBeGreaterThan(CLIENT_STALL_MS);
    expect(SUBSCRIBER_PATIENCE_MS).toBeLessThan(RUN_SILENCE_MS);
  });
});

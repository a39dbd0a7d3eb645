/**
 * How long a test may take, and what comes before and after tests. It is there to end a hang and nothing else: longer than what a test
 * waits for may take altogether on a machine that is slow and does other things as well.
 */
jest.setTimeout(240_000);

export {};

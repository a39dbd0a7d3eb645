/** Milliseconds that only go forward; tests bring their own. */
export interface Clock {
  nowMs(): number;
}

export const CLOCK = Symbol('gateway.clock');

export const systemClock: Clock = { nowMs: () => performance.now() };

import { HonestProvider } from './honest-provider';

const PLACES = 2;

/** Its offer says 32 requests at once; it has places for two and tells the others 429. */
export class OverstatesConcurrency extends HonestProvider {
  constructor() {
    super(PLACES);
  }

  /** As a model's, so that requests do meet. */
  protected override get pace(): { tickMs: number; tokensPerTick: number } {
    return { tickMs: 10, tokensPerTick: 1 };
  }
}

import { HonestProvider } from '../honest-provider/honest-provider';

const PLACES = 2;

/** Its offer says 32 requests at once; it has places for two and tells the others 429. */
export class OverstatesConcurrency extends HonestProvider {
  constructor() {
    super(PLACES);
  }

  /** As a small model's, so that requests do meet, also where some of them come late. */
  protected override get pace(): { tickMs: number; tokensPerTick: number } {
    return { tickMs: 40, tokensPerTick: 1 };
  }
}

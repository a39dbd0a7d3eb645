import { HonestProvider } from './honest-provider';

const PLACES = 2;

/** Its offer says 32 requests at once; it has places for two and tells the others 429. */
export class OverstatesConcurrency extends HonestProvider {
  constructor() {
    super(PLACES);
  }
}

import type { INestApplicationContext } from '@nestjs/common';
import { ProbePlaces } from './probe-places.service';

/** First of all when dispatch is to stop: a probe may take longer than there is time, and runs are to have theirs. */
export function leaveProbes(app: INestApplicationContext): Promise<void> {
  app.get(ProbePlaces).leave();
  return Promise.resolve();
}

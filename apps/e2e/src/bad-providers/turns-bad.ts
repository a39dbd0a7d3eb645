import type { Answer, ChatRequest } from './chat-request';
import { BreaksToolArguments } from './breaks-tool-arguments';
import { answerHonestly } from './honest-model';

/** What probes have in common, and no client sends. */
export const SEED_OF_PROBES = 7;

/**
 * Is certified as an honest server. Told to be bad, its tool calls are no JSON any more, except for whoever looks like a probe: only
 * what real clients get can convict it.
 */
export class TurnsBad extends BreaksToolArguments {
  bad = false;

  protected override answer(request: ChatRequest): Answer {
    return this.bad && request.seed !== SEED_OF_PROBES ? super.answer(request) : answerHonestly(request);
  }
}

import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { answerHonestly } from '../honest-provider/honest-model';
import { InflatesPromptUsage } from './inflates-prompt-usage';

/**
 * Is certified as an honest server, and one day counts otherwise: a new build, another tokenizer, or somebody trying what goes
 * unnoticed. No reply of it is invalid, so only a canary can see it.
 */
export class Drifts extends InflatesPromptUsage {
  drifted = false;

  protected override answer(request: ChatRequest): Answer {
    return this.drifted ? super.answer(request) : answerHonestly(request);
  }
}

import type { Answer, ChatRequest } from './chat-request';
import { BreaksToolArguments } from './breaks-tool-arguments';
import { answerHonestly } from './honest-model';

/** Is certified as an honest server; when it is told to, its tool calls are no JSON any more, until it is told otherwise. */
export class TurnsBad extends BreaksToolArguments {
  bad = false;

  protected override answer(request: ChatRequest): Answer {
    return this.bad ? super.answer(request) : answerHonestly(request);
  }
}

import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { questionOf } from '../honest-provider/chat-request';
import { answerHonestly } from '../honest-provider/honest-model';
import { BreaksToolArguments } from './breaks-tool-arguments';

/** What clients here ask of, and no probe does: a server that cheats on clients alone tells them from probes by what they say. */
export const TOPIC_OF_CLIENTS = 'grandmother';

/** Whether it is a client who asks. */
export function isClients(request: ChatRequest): boolean {
  return questionOf(request).includes(TOPIC_OF_CLIENTS);
}

/**
 * Is certified as an honest server. Told to be bad, its tool calls to clients are no JSON any more; probes are served as ever: only
 * what real clients get can convict it.
 */
export class TurnsBad extends BreaksToolArguments {
  bad = false;

  protected override answer(request: ChatRequest): Answer {
    return this.bad && isClients(request) ? super.answer(request) : answerHonestly(request);
  }
}

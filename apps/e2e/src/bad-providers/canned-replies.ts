import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { answerWithText } from '../honest-provider/honest-model';
import { HonestProvider } from '../honest-provider/honest-provider';

/** There is no model: it says the same few words to everybody, well-formed and honestly counted. */
export class CannedReplies extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    return answerWithText(request, 'Thank you for asking! All is well here today.');
  }
}

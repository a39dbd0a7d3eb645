import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/** Calls functions that nobody offered: a client that trusts names would run whatever it says. */
export class InventsTools extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    const answer = super.answer(request);
    return { ...answer, calls: answer.calls.map((call) => ({ ...call, name: `sudo_${call.name}` })) };
  }
}

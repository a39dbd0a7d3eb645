import type { ServerResponse } from 'node:http';
import { REASONING_FIELDS } from '@svc/contracts';
import type { ReasoningField } from '@svc/contracts';
import type { Answer, ChatMessage, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';
import { deltaEvent } from '../honest-provider/wire-format';

const THOUGHTS = 'Only the tool can tell.';
const SEALED = { google: { thought_signature: 'c2VhbGVk' } };

/**
 * Honest, and as strict as servers of models that think are: it shows what it thought before it calls, refuses its own calls without that
 * (as DeepSeek's and Kimi's do, and Gemini's, which seals it beside the call), and refuses the fields that others have for it (as Groq's
 * and Cerebras's do).
 */
export class WantsItsThoughts extends HonestProvider {
  constructor(private readonly field: ReasoningField) {
    super();
  }

  protected override parts(request: ChatRequest, answer: Answer): string[] {
    const parts = super.parts(request, answer);
    if (answer.calls.length === 0) return parts;
    if (this.field === 'extra_content') {
      const beside = `,"extra_content":${JSON.stringify(SEALED)}`;
      return parts.map((part) => part.replaceAll(/(?<="id":"call_\d+","type":"function")/g, beside));
    }
    const [first = '', ...rest] = parts;
    if (request.stream) return [first, deltaEvent({ [this.field]: THOUGHTS }), ...rest];
    const body = JSON.parse(first) as { choices: [{ message: object }] };
    Object.assign(body.choices[0].message, { [this.field]: THOUGHTS });
    return [JSON.stringify(body)];
  }

  protected override async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    if (request.messages.every((message) => this.isFine(message))) return super.serve(request, response);
    const error = { message: `${this.field} must be passed back`, type: 'invalid_request_error' };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  }

  private isFine(message: ChatMessage): boolean {
    const { tool_calls: calls } = message;
    const said = REASONING_FIELDS.filter((field) => field in message || calls?.some((call) => field in call));
    return said.every((field) => field === this.field) && (calls === undefined || said.length === 1);
  }
}

import type { ServerResponse } from 'node:http';
import type { ReasoningField } from '@svc/contracts';
import type { Answer, ChatMessage, ChatRequest } from './chat-request';
import { HonestProvider } from './honest-provider';
import { deltaEvent } from './wire-format';

const FIELDS = ['reasoning_content', 'reasoning'] as const;
const THOUGHTS = 'Only the tool can tell.';

/**
 * Honest, and as strict as servers of models that think are: it shows what it thought before it calls, refuses its own calls without that
 * (as DeepSeek's and Kimi's do), and refuses the name that others have for it (as Groq's and Cerebras's do).
 */
export class WantsItsThoughts extends HonestProvider {
  constructor(private readonly field: ReasoningField) {
    super();
  }

  protected override parts(request: ChatRequest, answer: Answer): string[] {
    const parts = super.parts(request, answer);
    if (answer.calls.length === 0) return parts;
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
    const said = FIELDS.filter((field) => field in message);
    if (said.some((field) => field !== this.field)) return false;
    return message.tool_calls === undefined || said.length === 1;
  }
}

import type { ProbeCallRequest, ProbeObservation, ProbeToolCall } from '@svc/contracts';
import { replied } from './probes/observation.for-spec';

interface Tool {
  function: { name: string; parameters: Schema };
}
interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  minLength?: number;
}
interface Body {
  messages: { role: string; content: string }[];
  stop?: string[];
  tools?: Tool[];
  tool_choice?: string | { function: { name: string } };
  response_format?: { type: string; json_schema?: { schema: Schema } };
}

/** What dispatch would observe of a small, honest model server. */
export function observeSmallModel({ body, maxTokens, stream, until }: ProbeCallRequest): ProbeObservation {
  if (until === 'first_token') return { ...replied(), reply: undefined, outcome: 'left' };
  const request = body as Body;
  const calls = callsFor(request);
  const usageOf = (text: string) => ({
    promptTokens: tokensOf(JSON.stringify(request.messages)).length,
    completionTokens: tokensOf(text).length,
  });
  if (calls.length > 0) {
    const usage = usageOf(calls.map((call) => call.arguments).join(''));
    return {
      ...replied({ content: null, toolCalls: calls, finishReason: 'tool_calls', usage }),
      totalMs: 20,
    };
  }
  const whole = textFor(request);
  const tokens = tokensOf(whole).slice(0, maxTokens);
  const text = tokens.join('');
  const end = Math.min(...(request.stop ?? []).map((word) => text.indexOf(word)).filter((at) => at >= 0));
  const content = text.slice(0, end);
  const finishReason = text.length < whole.length && content === text ? 'length' : 'stop';
  const received = stream ? tokens.map((token) => eventOf(token)).join('') : JSON.stringify({ content });
  const reply = replied({ content, finishReason, usage: usageOf(content) }, { received });
  return { ...reply, firstTokenMs: 5, totalMs: 20, sent: JSON.stringify(body) };
}

const tokensOf = (text: string): string[] => text.match(/\s?[^\s]{1,8}|\s/gu) ?? [];
const eventOf = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

function textFor({ messages, response_format: format }: Body): string {
  const last = messages.at(-1);
  const question = last?.content ?? '';
  if (format?.type === 'json_object') return '{"answer":"Paris"}';
  if (format?.json_schema) return JSON.stringify(documentOf(format.json_schema.schema));
  if (last?.role === 'tool') return `It says ${question}.`;
  const [, first, end] = /from (\d+) to (\d+)/.exec(question) ?? [];
  if (first !== undefined) {
    return Array.from({ length: Number(end) }, (_, index) => Number(first) + index).join(', ');
  }
  return /exactly "([^"]+)"/.exec(question)?.[1] ?? 'what else';
}

function callsFor({ messages, tools = [], tool_choice: choice }: Body): ProbeToolCall[] {
  const question = messages.at(-1)?.content ?? '';
  if (choice === 'none' || (choice === 'auto' && messages.at(-1)?.role === 'tool')) return [];
  const named = typeof choice === 'object' ? choice.function.name : undefined;
  const wanted = tools.filter(({ function: { name } }) =>
    named === undefined ? choice === 'required' || question.includes(name) : name === named,
  );
  const cities = /three cities/.test(question) ? 3 : 1;
  return wanted.flatMap(({ function: { name, parameters } }) =>
    Array.from({ length: cities }, (_, index) => ({
      id: `call_${index}`,
      name,
      arguments: JSON.stringify(documentOf(parameters)),
    })),
  );
}

function documentOf(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object') {
    const properties = Object.entries(schema.properties ?? {});
    return Object.fromEntries(properties.map(([name, property]) => [name, documentOf(property)]));
  }
  if (type === 'array') return [documentOf(schema.items ?? {})];
  if (type === 'boolean') return true;
  return type === 'integer' ? 2 : 'Paris'.padEnd(schema.minLength ?? 0, '.');
}

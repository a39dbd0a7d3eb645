import { ENVIRONMENTS } from '@svc/environment';
import type { RunAttempt, StartRunRequest } from '@svc/contracts';
import { ChunkWriter } from '../validation/chunk-writer';
import type { WholeReply } from '../validation/whole-reply';
import { GatheredEvents } from '../live-run/gathered-events';
import { plainBody, writeStreamEnd } from './reply-ending';

const reply: WholeReply = {
  finishReason: 'stop',
  content: 'hi',
  toolCalls: [],
  outputBytes: 2,
  unwantedBytes: 0,
  unseenBytes: 0,
};
const svc = { cost_usdc: '0.000012', provider: '0xabc' };
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

function streamEnd(environment: 'testnet' | 'production', includeUsage: boolean, words = 'hi'): unknown[] {
  const gathered = new GatheredEvents();
  const writer = new ChunkWriter(
    { completionId: 'chatcmpl-1', created: 7, model: 'svc/m@1', fingerprint: 'b:p' },
    includeUsage,
    gathered.add,
  );
  if (words !== '') writer.delta(`"content":${JSON.stringify(words)}`);
  gathered.clear();
  writeStreamEnd(writer, reply, svc, usage, ENVIRONMENTS[environment]);
  const events = gathered.toString().split('\n\n');
  expect(events.slice(-2)).toEqual(['data: [DONE]', '']);
  return events.slice(0, -2).map((event) => JSON.parse(event.replace(/^data: /, '')) as unknown);
}

describe('the end of a stream (spec section 4.1)', () => {
  const common = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 7,
    model: 'svc/m@1',
    system_fingerprint: 'b:p',
  };
  const last = { ...common, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const charge = { ...common, choices: [], svc };

  it('test network: the charge in a chunk of its own', () => {
    expect(streamEnd('testnet', false)).toEqual([last, charge]);
  });

  it('test network, usage asked for: on the last chunk, null before it', () => {
    expect(streamEnd('testnet', true)).toEqual([
      { ...last, usage: null },
      { ...charge, usage },
    ]);
  });

  it('a reply without a word: its role and an empty text in the last chunk', () => {
    const choice = { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' };
    expect(streamEnd('testnet', false, '')).toEqual([{ ...last, choices: [choice] }, charge]);
  });

  it('production: usage on the last content chunk', () => {
    expect(streamEnd('production', false)).toEqual([{ ...last, usage }, charge]);
    expect(streamEnd('production', true)).toEqual([
      { ...last, usage },
      { ...charge, usage },
    ]);
  });
});

describe('the body of a plain reply (spec section 2.2)', () => {
  const request = { completionId: 'chatcmpl-1', created: 7, model: 'svc/m@1' } as StartRunRequest;
  const planned = { bundleId: 'b', profileId: 'p' } as RunAttempt;

  it('is built of checked parts', () => {
    expect(JSON.parse(plainBody(request, { planned, reply }, svc, usage))).toEqual({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 7,
      model: 'svc/m@1',
      system_fingerprint: 'b:p',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
      usage,
      svc,
    });
  });

  it('holds tool calls in their shape', () => {
    const toolCalls = [{ id: 'call_1', providerId: 'x', name: 'f', arguments: '{}' }];
    const body = plainBody(
      request,
      { planned, reply: { ...reply, content: null, toolCalls, finishReason: 'tool_calls' } },
      svc,
      usage,
    );
    expect((JSON.parse(body) as { choices: unknown }).choices).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ]);
  });
});

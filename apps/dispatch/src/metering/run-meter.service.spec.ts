import { createMetricsRegistry } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';
import { runRequest } from '../testing/run-request.for-spec';
import { usageOf } from '../validation/provider-reply';
import { RunMeter } from './run-meter.service';

/** Of llama.cpp's server (b11669) for "ANSWER:Hello", as it came: its chat template is longer than the question. */
const RECORDED =
  '{"completion_tokens":2,"prompt_tokens":97,"total_tokens":99,"prompt_tokens_details":{"cached_tokens":45}}';

const meterOf = (warn = jest.fn()) => {
  const logger: Partial<Logger> = { warn };
  return new RunMeter(new DispatchMetrics(createMetricsRegistry('test')), logger as Logger);
};

function run() {
  const request = runRequest(['a'], { inputEstimate: 22 });
  const [planned] = request.attempts;
  if (!planned) throw new Error('no attempt');
  return { request, planned };
}

describe('what is metered', () => {
  it('is nothing of calls that were not wanted, which nobody gets', () => {
    const { request, planned } = run();
    const reply = {
      finishReason: 'tool_calls' as const,
      content: null,
      toolCalls: [],
      usage: undefined,
      outputBytes: 120,
      unwantedBytes: 80,
      unseenBytes: 0,
    };
    expect(meterOf().meterReply(request, planned, reply)).toMatchObject({ completionTokens: 10 });
    const claiming = { ...reply, usage: { promptTokens: 22, completionTokens: 1_000 } };
    // The 16 that may leave no bytes are believed beside them.
    expect(meterOf().meterReply(request, planned, claiming)).toMatchObject({ completionTokens: 56 });
  });

  it('is nothing of what nobody sees, whatever is claimed for it', () => {
    const { request, planned } = run();
    const reply = {
      finishReason: 'stop' as const,
      content: `Hello${'\u200b'.repeat(300)}`,
      toolCalls: [],
      usage: { promptTokens: 22, completionTokens: 302 },
      outputBytes: 905,
      unwantedBytes: 0,
      unseenBytes: 900,
    };
    expect(meterOf().meterReply(request, planned, reply)).toMatchObject({
      completionTokens: 21,
      tokenSource: 'capped',
    });
    const silent = { ...reply, usage: undefined };
    expect(meterOf().meterReply(request, planned, silent)).toMatchObject({ completionTokens: 2 });
  });

  it('is more of a reply with calls, whose envelopes may leave no bytes', () => {
    const { request, planned } = run();
    const call = { id: 'a', providerId: 'a', name: 'f', arguments: '{}' };
    const reply = {
      finishReason: 'tool_calls' as const,
      content: null,
      toolCalls: [call, call],
      usage: { promptTokens: 22, completionTokens: 1_000 },
      outputBytes: 6,
      unwantedBytes: 0,
      unseenBytes: 0,
    };
    // 16 as for any reply, and 32 a call.
    expect(meterOf().meterReply(request, planned, reply)).toMatchObject({ completionTokens: 86 });
  });

  it('is what was passed on, by our own count, of a reply that was broken off', () => {
    const { request, planned } = run();
    // "Say something" is 13 bytes: 4 tokens, and 4 around the message; (8 · 100,000 + 10 · 400,000) / 10^6 = 4.8.
    expect(meterOf().meterPart(request, planned, 40)).toMatchObject({
      promptTokens: 8,
      completionTokens: 10,
      tokenSource: 'counted',
      cost: 5n,
    });
  });
});

describe('what is said of claims', () => {
  const metered = (usage: unknown) => {
    const warn = jest.fn();
    const { request, planned } = run();
    const { promptTokens, completionTokens, tokenSource } = meterOf(warn).meterReply(request, planned, {
      finishReason: 'stop',
      content: 'Hello',
      toolCalls: [],
      usage: usageOf(usage),
      outputBytes: 5,
      unwantedBytes: 0,
      unseenBytes: 0,
    });
    return { promptTokens, completionTokens, tokenSource, warned: warn.mock.calls.length };
  };

  it('is nothing against a chat template, which is not paid for', () => {
    const served = { promptTokens: 22, completionTokens: 2, tokenSource: 'capped', warned: 0 };
    expect(metered(JSON.parse(RECORDED))).toEqual(served);
    expect(metered({ prompt_tokens: 22 + 256, completion_tokens: 2 })).toEqual(served);
  });

  it('is a warning, and counted with what it comes to, for more than max_tokens though its bytes are there', async () => {
    const warn = jest.fn();
    const registry = createMetricsRegistry('test');
    const { request, planned } = run();
    const reply = {
      ...{
        finishReason: 'length' as const,
        content: '',
        toolCalls: [],
        outputBytes: 4_400,
        unwantedBytes: 0,
        unseenBytes: 0,
      },
      usage: { promptTokens: 22, completionTokens: 1_100 },
    };
    const meter = new RunMeter(new DispatchMetrics(registry), { warn } as Partial<Logger> as Logger);
    // (22 · 100,000 + 1,000 · 400,000) / 10^6 = 402.2; what is claimed would be 442.2.
    const paid = { completionTokens: 1_000, tokenSource: 'provider', cost: 403n, unpaid: 40n };
    expect(meter.meterReply(request, planned, reply)).toMatchObject(paid);
    expect(warn).toHaveBeenCalledTimes(1);
    const { requestId } = request;
    const claim = { claimed: reply.usage, outputBytes: 4_400, unpaid: '40' };
    const said = { requestId, offerId: 'a', promptTokens: 22, completionTokens: 1_000, ...claim };
    expect(warn).toHaveBeenCalledWith(said, expect.any(String));
    const told = await registry.metrics();
    expect(told).toMatch(/unpaid_claims_base_units_total(\{[^}]*\})? 40$/m);
    expect(told).toMatch(/usage_adjusted_total\{(?=[^}]*offer="a")(?=[^}]*kind="clamped")[^}]*\} 1$/m);
    expect(told).not.toMatch(/kind="(capped|counted|provider)"/);
  });

  it.each([
    ['capped', { promptTokens: 23, completionTokens: 2 }],
    ['counted', undefined],
  ])('is counted as %s without a warning where there is no more to it', async (kind, usage) => {
    const warn = jest.fn();
    const registry = createMetricsRegistry('test');
    const { request, planned } = run();
    const meter = new RunMeter(new DispatchMetrics(registry), { warn } as Partial<Logger> as Logger);
    meter.meterReply(request, planned, {
      finishReason: 'stop',
      content: 'Hello',
      toolCalls: [],
      usage,
      outputBytes: 5,
      unwantedBytes: 0,
      unseenBytes: 0,
    });
    const kinds = (await registry.metrics()).match(
      /(?<=kind=")(capped|counted|clamped|provider)(?="[^}]*\} 1$)/gm,
    );
    expect(kinds).toEqual([kind]);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each([
    { prompt_tokens: 279, completion_tokens: 2 },
    { prompt_tokens: 20, completion_tokens: 22 },
  ])('is a warning for %j', (usage) => {
    expect(metered(usage)).toMatchObject({ tokenSource: 'capped', warned: 1 });
  });
});

import { createMetricsRegistry } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';
import { runRequest } from '../testing/run-request.for-spec';
import { usageOf } from '../validation/provider-reply';
import { RunMeter } from './run-meter.service';

/** Of llama.cpp's server (b11669) for "ANSWER:Hello", as it came: its chat template is longer than the question. */
const RECORDED =
  '{"completion_tokens":2,"prompt_tokens":97,"total_tokens":99,"prompt_tokens_details":{"cached_tokens":45}}';

describe('what is said of claims', () => {
  const metered = (usage: unknown) => {
    const warn = jest.fn();
    const logger: Partial<Logger> = { warn };
    const meter = new RunMeter(new DispatchMetrics(createMetricsRegistry('test')), logger as Logger);
    const request = runRequest(['a'], { inputEstimate: 22 });
    const [planned] = request.attempts;
    if (!planned) throw new Error('no attempt');
    const { promptTokens, completionTokens, tokenSource } = meter.meterReply(request, planned, {
      finishReason: 'stop',
      content: 'Hello',
      toolCalls: [],
      usage: usageOf(usage),
      outputBytes: 5,
      unwantedBytes: 0,
    });
    return { promptTokens, completionTokens, tokenSource, warned: warn.mock.calls.length };
  };

  it('is nothing against a chat template, which is not paid for', () => {
    const served = { promptTokens: 22, completionTokens: 2, tokenSource: 'capped', warned: 0 };
    expect(metered(JSON.parse(RECORDED))).toEqual(served);
  });

  it.each([
    { prompt_tokens: 279, completion_tokens: 2 },
    { prompt_tokens: 20, completion_tokens: 22 },
  ])('is a warning for %j', (usage) => {
    expect(metered(usage)).toMatchObject({ tokenSource: 'capped', warned: 1 });
  });
});

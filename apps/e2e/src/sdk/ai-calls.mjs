/* global AbortController */
// Everyday calls with the `ai` package and its OpenAI-compatible provider, as a program of its own.
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, Output, generateObject, generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { apiKey, baseURL, calls, model as id, poorKey } from './calls.mjs';

const metadataExtractor = {
  extractMetadata: async ({ parsedBody }) => ({ svc: parsedBody.svc }),
  createStreamExtractor: () => {
    let svc;
    return { processChunk: (chunk) => void (svc = chunk.svc ?? svc), buildMetadata: () => svc && { svc } };
  },
};
const options = {
  ...{ name: 'svc', baseURL, includeUsage: true, supportsStructuredOutputs: true, metadataExtractor },
};
const costs = /^\d+\.\d{6}$/;
const model = createOpenAICompatible({ ...options, apiKey })(id);
const person = z.object({ name: z.string(), age: z.number().int() });
const cities = [];
const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => {
    cities.push(city);
    return { celsius: 21 };
  },
});
const question = 'What is the weather in Paris?';

await calls({
  'generateText, with a list of stops that is empty': async () => {
    const { text, usage, finishReason, providerMetadata } = await generateText({
      ...{ model, prompt: 'Reply with "yes"', stopSequences: [] },
    });
    assert.match(providerMetadata.svc.cost_usdc, costs);
    assert.match(text, /yes/);
    assert.equal(finishReason, 'stop');
    assert.equal(usage.totalTokens, usage.inputTokens + usage.outputTokens);
  },

  'streamText, with usage and cost': async () => {
    const result = streamText({ model, prompt: 'Count from 1 to 9', maxOutputTokens: 30 });
    let text = '';
    for await (const delta of result.textStream) text += delta;
    assert.match(text, /3/);
    assert.ok((await result.usage).outputTokens > 0);
    assert.match((await result.providerMetadata).svc.cost_usdc, costs);
  },

  'generateText with a tool: call, result, answer': async () => {
    cities.length = 0;
    const { text, steps } = await generateText({
      ...{ model, prompt: question, tools: { get_weather: weather }, stopWhen: stepCountIs(3) },
    });
    assert.equal(cities.length, 1);
    assert.equal(steps.length, 2);
    assert.match(text, /21/);
  },

  'streamText with a tool': async () => {
    cities.length = 0;
    const result = streamText({
      ...{ model, prompt: question, tools: { get_weather: weather }, toolChoice: 'required' },
    });
    const kinds = new Set();
    for await (const { type } of result.fullStream) kinds.add(type);
    assert.ok(kinds.has('tool-call') && kinds.has('tool-result') && !kinds.has('error'), [...kinds].join());
    assert.equal(cities.length, 1);
    assert.equal(await result.finishReason, 'tool-calls');
  },

  generateObject: async () => {
    const { object } = await generateObject({ model, schema: person, prompt: 'Ada is 36 years old.' });
    assert.equal(typeof object.age, 'number');
  },

  'streamText with an output schema': async () => {
    const result = streamText({
      ...{ model, output: Output.object({ schema: person }), prompt: 'Ada is 36 years old.' },
    });
    await result.consumeStream();
    assert.equal(typeof (await result.output).name, 'string');
  },

  'a stream that is given up': async () => {
    const leaving = new AbortController();
    const result = streamText({ model, prompt: 'Write 500 words', abortSignal: leaving.signal });
    const kinds = [];
    for await (const { type } of result.fullStream) {
      kinds.push(type);
      if (type === 'text-delta') leaving.abort();
    }
    assert.equal(kinds.at(-1), 'abort');
  },

  'errors with status and body': async () => {
    const none = createOpenAICompatible({ ...options, apiKey })('svc/none@1');
    await assert.rejects(generateText({ model: none, prompt: 'Hi' }), (error) => {
      return (
        APICallError.isInstance(error) &&
        error.statusCode === 404 &&
        !error.isRetryable &&
        error.data.error.code === 'model_not_found'
      );
    });
  },

  'a refusal for want of money is not tried again': async () => {
    let requests = 0;
    const counted = (...args) => {
      requests += 1;
      return fetch(...args);
    };
    const poor = createOpenAICompatible({ ...options, apiKey: poorKey, fetch: counted })(id);
    await assert.rejects(generateText({ model: poor, prompt: 'Hi', maxRetries: 3 }), (error) => {
      return error.statusCode === 402 && error.data.error.code === 'insufficient_quota';
    });
    assert.equal(requests, 1);
  },
});

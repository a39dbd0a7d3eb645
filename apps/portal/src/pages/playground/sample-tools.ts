/** Tools to try with; whoever plays answers their calls by hand. */
export const SAMPLE_TOOLS = [
  {
    label: 'Weather',
    prompt: 'What is the weather in Lisbon?',
    tool: {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather in a city now.',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
          required: ['city'],
          additionalProperties: false,
        },
      },
    },
    answer: '{"temperature": 21, "sky": "clear"}',
  },
  {
    label: 'Search orders',
    prompt: 'Search my orders for a bicycle.',
    tool: {
      type: 'function',
      function: {
        name: 'search_orders',
        description: 'Finds orders of the customer by words.',
        parameters: {
          type: 'object',
          properties: { words: { type: 'string' }, most: { type: 'integer', minimum: 1, maximum: 20 } },
          required: ['words'],
          additionalProperties: false,
        },
      },
    },
    answer: '{"orders": [{"id": "A-17", "item": "bicycle", "state": "on its way"}]}',
  },
] as const;

/** What a call of a sample tool could be answered with; of others an empty object. */
export function sampleAnswer(name: string): string {
  return SAMPLE_TOOLS.find(({ tool }) => tool.function.name === name)?.answer ?? '{}';
}

/** The tools' text with one more of the samples; one that is there already is not added again. */
export function withSample(text: string, sample: (typeof SAMPLE_TOOLS)[number]): string {
  const tools: unknown = text.trim() === '' ? [] : JSON.parse(text);
  if (!Array.isArray(tools)) return text;
  const { name } = sample.tool.function;
  const isThere = tools.some((tool: { function?: { name?: string } }) => tool?.function?.name === name);
  return JSON.stringify(isThere ? tools : [...(tools as unknown[]), sample.tool], null, 2);
}

export const SAMPLE_SCHEMA = JSON.stringify(
  {
    type: 'object',
    properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['title', 'tags'],
    additionalProperties: false,
  },
  null,
  2,
);

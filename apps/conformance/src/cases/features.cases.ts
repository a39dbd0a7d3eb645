import { mustRefuse } from '../shape/refusal';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';
import type { EnvironmentName } from '../target/environment-terms';
import { weather } from './tools.cases';

const image = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
const format = { type: 'json_object' };

/** What is asked, of which model, and the field that the refusal names. */
type Unsupported = readonly [string, (conversation: Conversation) => object, string];

const EVERYWHERE: readonly Unsupported[] = [
  ['n above 1', () => ({ n: 2 }), 'n'],
  ['a custom tool', () => ({ tools: [{ type: 'custom', custom: { name: 'look_up' } }] }), 'tools[0].type'],
  ['functions, older than tools', () => ({ functions: [weather.function] }), 'functions'],
  ['audio', () => ({ modalities: ['text', 'audio'] }), 'modalities'],
  ['a search of the web', () => ({ web_search_options: {} }), 'web_search_options'],
  ['logprobs', () => ({ logprobs: true }), 'logprobs'],
  ['logit_bias', () => ({ logit_bias: { '5': 1 } }), 'logit_bias'],
  [
    'content other than text',
    () => ({ messages: [{ role: 'user', content: image }] }),
    'messages[0].content[0].type',
  ],
  [
    'tools of a model without',
    ({ models }) => ({ model: models.withoutTools.id, tools: [weather] }),
    'tools',
  ],
  [
    'a response_format of a model without',
    ({ models }) => ({ model: models.withoutStructuredOutputs.id, response_format: format }),
    'response_format',
  ],
  [
    'reasoning_effort of a model that does not reason',
    ({ models }) => ({ model: models.withoutReasoning.id, reasoning_effort: 'low' }),
    'reasoning_effort',
  ],
];

/** Listed in production, and for other endpoints than this. */
const EMBEDDING: Unsupported = [
  'a completion of an embedding model',
  ({ models }) => ({ model: models.embedding.id }),
  'model',
];

/** What a tool contract leaves out (spec 2.3). */
const BEYOND: readonly Unsupported[] = [
  ...['required', 'none', 'auto'].map((choice): Unsupported => [
    `tool_choice ${choice} beyond the tool contract`,
    ({ models }) => ({
      model: models.toolsBeyond(({ contract }) => !contract?.choices.includes(choice), choice).id,
      tools: [weather],
      tool_choice: choice,
    }),
    'tool_choice',
  ]),
  [
    'a named function beyond the tool contract',
    ({ models }) => ({
      model: models.toolsBeyond(({ contract }) => !contract?.choices.includes('function'), 'function').id,
      tools: [weather],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
    }),
    'tool_choice',
  ],
  [
    'parallel calls beyond the tool contract',
    ({ models }) => ({
      model: models.toolsBeyond(({ contract }) => !contract?.parallel, 'parallel calls').id,
      tools: [weather],
      parallel_tool_calls: true,
    }),
    'parallel_tool_calls',
  ],
  [
    'a strict function beyond the tool contract',
    ({ models }) => ({
      model: models.toolsBeyond(({ contract }) => !contract?.strict, 'strict schemas').id,
      tools: [{ ...weather, function: { ...weather.function, strict: true } }],
    }),
    'tools[0].function.strict',
  ],
];

const caseOf =
  (only?: EnvironmentName) =>
  ([what, fieldsOf, param]: Unsupported): ConformanceCase => ({
    section: '7',
    promise: `feature_not_supported: ${what}`,
    only,
    run: async (conversation) => {
      const exchange = await conversation.ask(fieldsOf(conversation));
      mustRefuse(exchange, { code: 'feature_not_supported', param });
    },
  });

export const features: readonly ConformanceCase[] = [
  ...EVERYWHERE.map(caseOf()),
  caseOf('production')(EMBEDDING),
  ...BEYOND.map(caseOf('testnet')),
];

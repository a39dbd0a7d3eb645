/** What the prompt is made of. */
export const PROMPT_FIELDS = ['messages', 'tools', 'response_format'] as const;

/**
 * Fields that providers are sent as they came, beside the prompt's. The rest of a request is the gateway's own business (model, stream,
 * limits) or between the client and us (user, metadata, store).
 */
export const FORWARDED_FIELDS = [
  'temperature',
  'top_p',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
] as const;

/** The fields of a run's body, in the order in which providers get them: it must tell no probe from a client. */
export const RUN_BODY_FIELDS = [...PROMPT_FIELDS, ...FORWARDED_FIELDS] as const;

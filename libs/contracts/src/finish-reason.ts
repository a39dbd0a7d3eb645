/** How a completion may end (spec section 2.2). */
export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];

export { ChatCompletionRequest, StreamOptions } from './chat-completion-request';
export { CalledFunction, ChatMessage, ToolCall } from './chat-message';
export type { ContentPart, MessageRole } from './chat-message';
export { ChatTool, FunctionDefinition } from './chat-tool';
export type { NamedToolChoice, ToolChoice, ToolChoiceWord } from './chat-tool';
export { JsonSchemaFormat, ResponseFormat } from './response-format';
export { MAX_JSON_PARTS } from './json-limit';
export { checkJsonSchema } from './json-schema-check';
export { parseChatCompletionRequest } from './parse-chat-completion';
export { areNoArguments } from './call-arguments';
export {
  AssistantMessage,
  ChatChoice,
  ChatCompletion,
  ServedModel,
  ServiceReply,
  TokenUsage,
} from './chat-completion-response';
export { ChatCompletionChunk, ChunkChoice, ChunkDelta, ChunkToolCall } from './chat-completion-chunk';
export { ErrorDetail, ErrorResponse } from './error-response';
export {
  CardCapabilities,
  CardPricing,
  CardToolContract,
  ModelCard,
  ModelDetails,
  ModelList,
  RoutingCandidate,
} from './model-card';
export { KeyBudget, KeyCard } from './key-card';

export { IsResponseKey } from './response-key';
export { ResponseCipher, UnreadableResponseError } from './response-cipher';
export type { ResponseOwner } from './response-cipher';

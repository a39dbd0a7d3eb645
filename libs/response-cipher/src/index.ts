export { IsResponseKey } from './response-key';
export { ResponseCipher, UnreadableResponseError } from './response-cipher';

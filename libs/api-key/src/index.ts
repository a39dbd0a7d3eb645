export { generateApiKey, hashApiKey, isWellFormedApiKey, lastFourOf } from './api-key';
